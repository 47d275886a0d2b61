import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { newScenarioPlace, scenarioFromSession } from '../../protocol/new-scenario.ts';
import { onRequest } from '../../protocol/rpc.ts';
import {
  runScenarios,
  scenarioAgents,
  scenarioCoverage,
  scenarioFiles,
  scenarioResults,
  scenariosOf,
  scenarioUserPrompt,
} from '../../protocol/scenarios.ts';
import type { Feature } from '../context.ts';
import { isInside } from '../disk/paths.ts';
import { isScenarioByName } from '../disk/scenario-globs.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { measureCoverage } from './measure-coverage.ts';
import { findScenarioPlace } from './new-scenario.ts';
import { readScenarioRows } from './scenario-ranges.ts';
import { ScenarioRuns } from './scenario-runs.ts';
import { previewUserPrompt } from './user-prompt.ts';

const NOT_EVALUATED = l10n.t('The results of this session are no longer available. Evaluate its file again.');

/** Answers the requests about scenarios. */
export const scenarioRequests: Feature = (context) => {
  const { connection, scenarios, settings, results, contents, folders } = context;
  const runs = new ScenarioRuns(context);
  onRequest(connection, scenariosOf, ({ uri, text }) => readScenarioRows(fileURLToPath(uri), text));
  onRequest(connection, scenarioResults, async ({ uris }) => ({
    results: await scenarios.rows(uris?.map((uri) => fileURLToPath(uri)) ?? (await runs.allFiles())),
  }));
  onRequest(connection, scenarioAgents, async ({ uri }) => {
    const path = fileURLToPath(uri);
    const loaded = await loadFolderConfiguration(path, { isTrusted: () => settings().trusted });
    const simulation = loaded.configuration?.simulation;
    return {
      agents: Object.keys(simulation?.agents ?? {}),
      attempts: simulation?.conversationsPerScenario,
      isScenarioFile: isScenarioByName(path, loaded, loaded.cwd),
    };
  });
  onRequest(connection, scenarioUserPrompt, ({ uri, name, text }) =>
    previewUserPrompt({ path: fileURLToPath(uri), name, text }, () => settings().trusted),
  );
  onRequest(connection, scenarioFromSession, async ({ session, turn }, token) => {
    const view = results.session(session);
    return view ? await contents.ask('scenario', view, { turn }, token) : { error: NOT_EVALUATED };
  });
  onRequest(connection, newScenarioPlace, ({ uri }) => {
    const path = fileURLToPath(uri);
    const root = [...folders].find((folder) => isInside(path, folder));
    return findScenarioPlace(path, root, () => settings().trusted);
  });
  onRequest(connection, scenarioFiles, async () => ({
    uris: (await runs.allFiles()).map((path) => pathToFileURL(path).href),
  }));
  onRequest(connection, scenarioCoverage, ({ files }, token) => measureCoverage(files, context, token));
  onRequest(connection, runScenarios, (params, token) => runs.run(params, token));
  return {};
};
