import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { AttemptRow } from '../../protocol/scenarios.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { openFile } from '../open-file.ts';
import { attemptOutcome } from './attempt-outcomes.ts';
import { findAttemptMessage } from './test-messages.ts';
import type { TestTree } from './test-tree.ts';

/** The argument from the menu of a message; the menu of a test gives the item. */
const clickedMessage = z.object({
  test: z.custom<object>((value) => typeof value === 'object' && value !== null),
  message: z.object({ message: z.union([z.string(), z.object({ value: z.string() })]) }),
});

/** Opens the report of an attempt at the turn that a message is about. */
export async function openAttemptReport(context: CommandContext, clicked: unknown): Promise<void> {
  const { data } = z.safeParse(clickedMessage, clicked);
  const attempt = findAttempt(context.tests.tree, data?.test ?? clicked);
  if (!attempt) throw new UserError(vscode.l10n.t('There is no report yet. Run the scenario first.'));
  const text = typeof data?.message.message === 'object' ? data.message.message.value : data?.message.message;
  const message = text === undefined ? attempt.messages[0] : findAttemptMessage(attempt, text);
  const turn = message?.turn ?? attempt.headline.turn;
  if (attempt.session !== null) context.reports.open({ key: attempt.session }, turn);
  else if (message?.trace) await context.evidence.show(message.trace, { preview: true, focus: true });
  else if (attempt.uri !== null) await openFile(vscode.Uri.parse(attempt.uri));
  else throw new UserError(vscode.l10n.t('This attempt has no session file. Run the scenario again.'));
}

/** The attempt of an item; of a scenario, the first one that did not pass. */
function findAttempt(tree: TestTree, item: unknown): AttemptRow | undefined {
  const subject = tree.subject(item);
  if (subject?.kind === 'attempt') return subject.attempt;
  if (subject?.kind !== 'scenario') return undefined;
  const scenario = tree.scenario(subject.uri, subject.name);
  const attempts = (scenario && tree.result(scenario)?.attempts) ?? [];
  return attempts.find((attempt) => attemptOutcome(attempt) !== 'passed') ?? attempts[0];
}
