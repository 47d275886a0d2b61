import { fileURLToPath } from 'node:url';
import { REGISTRY, registryFor } from '../config/registry.ts';
import { type EvaluationOverrides, evaluateWith, metricChoices } from '../protocol/evaluate-with.ts';
import { clear, evaluate, files as fileRows, restore, sessionProblems, sessions } from '../protocol/messages.ts';
import { resolveLocation } from '../protocol/report.ts';
import { onRequest } from '../protocol/rpc.ts';
import type { Feature } from './context.ts';
import { uriToPath } from './disk/paths.ts';
import { loadFolderConfiguration } from './evaluation/folder-configuration.ts';
import type { Overrides } from './evaluation/group-evaluation.ts';
import { judgeFlags } from './features/model-flags.ts';

/** Answers the extension's requests beyond the Language Server Protocol. */
export const requests: Feature = (context) => {
  const { connection, evaluator, results, snapshots, decisions, clear: forget, restore: restoreResults } = context;
  onRequest(connection, evaluate, ({ uris, rulesOnly = false, workDoneToken }, token) =>
    evaluator.evaluate(uris, connection.window.attachWorkDoneProgress(workDoneToken), token, {
      rulesOnly,
      isRecorded: !rulesOnly,
    }),
  );
  onRequest(connection, evaluateWith, ({ uris, workDoneToken, overrides }, token) => {
    const progress = connection.window.attachWorkDoneProgress(workDoneToken);
    return evaluator.evaluate(uris, progress, token, { isRecorded: true, overrides: toFlags(overrides) });
  });
  onRequest(connection, metricChoices, async ({ uri }) => {
    const { configuration } = await loadFolderConfiguration(fileURLToPath(uri), decisions.editor);
    const { metrics } = configuration ? registryFor(configuration) : REGISTRY;
    const choices = metrics.flatMap(({ name, question, scope, usesJudge = false }) =>
      scope === 'turn' || scope === 'session' ? [{ name, question, scope, usesJudge }] : [],
    );
    return { metrics: choices };
  });
  onRequest(connection, sessions, ({ uri, offset, limit }) => ({
    ...results.sessions(offset, limit, uri === undefined ? undefined : fileURLToPath(uri)),
    problems: results.problems.map(({ row }) => row),
  }));
  onRequest(connection, fileRows, ({ offset, limit }) => results.files(offset, limit));
  onRequest(connection, sessionProblems, ({ session, offset, limit }) => results.failures(session, offset, limit));
  onRequest(connection, resolveLocation, async ({ uri, pointer }) => ({
    location: await snapshots.locate(uri, pointer),
  }));
  onRequest(connection, clear, () => {
    forget();
    return {};
  });
  onRequest(connection, restore, async ({ folders }) => ({
    files: await restoreResults(folders.flatMap((uri) => uriToPath(uri) ?? [])),
  }));
  return {};
};

function toFlags({ judge, metrics }: EvaluationOverrides): Overrides {
  return { ...(judge && judgeFlags(judge)), ...(metrics && { metrics }) };
}
