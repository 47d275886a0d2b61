import { fileURLToPath } from 'node:url';
import { type EditOutcome, relevel, suppress } from '../protocol/edits.ts';
import { answer } from '../protocol/request.ts';
import type { Context, Feature } from './context.ts';
import { type Plan, refusal, UNTRUSTED, written } from './file-change.ts';
import { planRelevel } from './releveling.ts';
import { planSuppression } from './suppressing.ts';

/** Writes what a person decides about findings. What is held stays as it is until its files are evaluated again. */
export const edits: Feature = (context) => {
  const { connection, settings } = context;
  // What is written rests on what was read: one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (plan: () => Promise<Plan>): Promise<EditOutcome> => {
    const outcome = last.then(async () => written(settings().trusted ? await plan() : refusal(UNTRUSTED)));
    last = outcome.catch(() => {});
    return outcome;
  };
  answer(connection, suppress, ({ reason, ...finding }) => inTurn(() => planSuppression(context, finding, reason)));
  answer(connection, relevel, ({ level, ...rule }) =>
    inTurn(async () => planRelevel(rule, level, await openFolders(connection))),
  );
  return {};
};

/** Paths of the folders that the editor has open. */
export async function openFolders(connection: Context['connection']): Promise<readonly string[]> {
  const open = (await connection.workspace.getWorkspaceFolders().catch(() => null)) ?? [];
  return open.flatMap(({ uri }) => (uri.startsWith('file:') ? [fileURLToPath(uri)] : []));
}
