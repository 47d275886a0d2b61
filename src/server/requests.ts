import { fileURLToPath } from 'node:url';
import { clear, evaluate, files as fileRows, restore, sessionProblems, sessions } from '../protocol/messages.ts';
import { resolveLocation } from '../protocol/report.ts';
import { onRequest } from '../protocol/rpc.ts';
import type { Feature } from './context.ts';
import { uriToPath } from './disk/paths.ts';

/** Answers the extension's requests beyond the Language Server Protocol. */
export const requests: Feature = (context) => {
  const { connection, evaluator, results, snapshots, clear: forget, restore: restoreResults } = context;
  onRequest(connection, evaluate, ({ uris, rulesOnly = false, workDoneToken }, token) =>
    evaluator.evaluate(uris, connection.window.attachWorkDoneProgress(workDoneToken), token, {
      rulesOnly,
      isRecorded: !rulesOnly,
    }),
  );
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
