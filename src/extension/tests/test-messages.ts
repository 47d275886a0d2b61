import * as vscode from 'vscode';
import { sanitizeText } from '../../core/sanitize.ts';
import type { AttemptMessage, AttemptRow, ScenarioResult } from '../../protocol/scenarios.ts';
import { toLocation } from '../locations.ts';

/** The longest text of a message. */
const MAX_LENGTH = 20_000;

/** Marks messages about an attempt for their menu. */
const ATTEMPT_MESSAGE = 'turnwise.attempt';

/**
 * What an attempt did not do, or how it ended. What can be compared comes twice: as a comparison, and as a text with all of it,
 * because editors give coding agents the text of messages only where they have no comparison.
 */
export function attemptMessages(attempt: AttemptRow): vscode.TestMessage[] {
  if (attempt.messages.length > 0) return attempt.messages.flatMap(toTestMessages);
  const message = new vscode.TestMessage(sanitizeText(attempt.headline.text, MAX_LENGTH));
  message.contextValue = ATTEMPT_MESSAGE;
  return [message];
}

/** Of a scenario whose attempts have messages of their own. */
export function scenarioMessage({ summary }: ScenarioResult): vscode.TestMessage {
  return new vscode.TestMessage(sanitizeText(summary, MAX_LENGTH));
}

/** The message of an attempt that a message of the editor, with this text, shows. */
export function findAttemptMessage({ messages }: AttemptRow, text: string): AttemptMessage | undefined {
  return messages.find((message) => toTestMessages(message).some((shown) => shown.message === text));
}

function toTestMessages({ text, expected, actual, location }: AttemptMessage): vscode.TestMessage[] {
  const all = sanitizeText(text, MAX_LENGTH);
  const [title = ''] = all.split('\n', 1);
  const [before, after] = [expected, actual].map((side) => side && sanitizeText(side, MAX_LENGTH));
  const comparison =
    before !== null && before !== undefined && after !== null && after !== undefined
      ? [vscode.TestMessage.diff(title, before, after)]
      : [];
  const messages = [...comparison, new vscode.TestMessage(all)];
  for (const message of messages) {
    message.location = toLocation(location);
    message.contextValue = ATTEMPT_MESSAGE;
  }
  return messages;
}
