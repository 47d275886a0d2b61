import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agent, chat, user } from '../support/traces.ts';

/** The text of `refund.json` in every workspace. Its second turn begins on line 44. */
export const REFUND = readFileSync(join(import.meta.dirname, '..', 'vscode', 'workspace', 'refund.json'), 'utf8');

/** Four sessions; the agent of the third does not recover in its third turn. */
export const ATTEMPTS = readFileSync(
  join(import.meta.dirname, '..', '..', 'samples', 'plan-change-four-attempts.json'),
  'utf8',
);

/** One turn without problems. */
export function answered(text: string): string {
  return chat(user('What did they say?'), agent(text));
}

/** Distinct turns. */
export function talk(turns: number): string {
  const messages = Array.from({ length: turns }, (_, index) => [
    user(`Question ${index + 1}: what is in box ${String.fromCharCode(65 + index)}?`),
    agent(`Answer ${index + 1}: ${(index + 3) * 7} ${THINGS[index % THINGS.length]} of shelf ${index * 31 + 4}.`),
  ]);
  return chat(...messages.flat());
}

const THINGS = ['candles', 'bolts', 'letters', 'spoons', 'maps'] as const;
