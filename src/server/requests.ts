import { fileURLToPath } from 'node:url';
import { clear, evaluate, failures, files as fileRows, restore, sessions } from '../protocol/messages.ts';
import { locate } from '../protocol/report.ts';
import { answer } from '../protocol/request.ts';
import type { Feature } from './context.ts';
import { uriToPath } from './disk/paths.ts';
import { resolvePointer as placeOf } from './results/resolve-pointer.ts';

/** What the extension asks beside what the Language Server Protocol has. */
export const requests: Feature = (context) => {
  const { connection, evaluator, results, files, clear: forget, restore: bringBack } = context;
  answer(connection, evaluate, ({ uris, workDoneToken }, token) =>
    evaluator.evaluate(uris, connection.window.attachWorkDoneProgress(workDoneToken), token),
  );
  answer(connection, sessions, ({ uri, offset, limit }) => ({
    ...results.sessions(offset, limit, uri === undefined ? undefined : fileURLToPath(uri)),
    problems: results.problems.map(({ row }) => row),
  }));
  answer(connection, fileRows, ({ offset, limit }) => results.files(offset, limit));
  answer(connection, failures, ({ session, offset, limit }) => results.failures(session, offset, limit));
  answer(connection, locate, async ({ uri, pointer }) => ({ place: await placeOf(files, uri, pointer) }));
  answer(connection, clear, () => {
    forget();
    return {};
  });
  answer(connection, restore, async ({ folders }) => ({
    files: await bringBack(folders.flatMap((uri) => uriToPath(uri) ?? [])),
  }));
  return {};
};
