import { fileURLToPath } from 'node:url';
import { onRequest } from '../../protocol/rpc.ts';
import { runScenarios, scenarioAgents, scenarioResults, scenariosOf } from '../../protocol/scenarios.ts';
import type { Feature } from '../context.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { readScenarioRows } from './scenario-ranges.ts';
import { ScenarioRuns } from './scenario-runs.ts';

/** Answers the requests about scenarios. */
export const scenarioRequests: Feature = (context) => {
  const { connection, scenarios, settings } = context;
  const runs = new ScenarioRuns(context);
  onRequest(connection, scenariosOf, ({ uri, text }) => readScenarioRows(fileURLToPath(uri), text));
  onRequest(connection, scenarioResults, async ({ uris }) => ({
    results: await scenarios.rows(uris?.map((uri) => fileURLToPath(uri)) ?? (await runs.allFiles())),
  }));
  onRequest(connection, scenarioAgents, async ({ uri }) => {
    const { configuration } = await loadFolderConfiguration(fileURLToPath(uri), {
      isTrusted: () => settings().trusted,
    });
    const simulation = configuration?.simulation;
    return { agents: Object.keys(simulation?.agents ?? {}), attempts: simulation?.conversationsPerScenario };
  });
  onRequest(connection, runScenarios, (params, token) => runs.run(params, token));
  return {};
};
