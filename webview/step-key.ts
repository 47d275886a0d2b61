import type { AgentPath } from '../src/protocol/report-values.ts';

/** A key that is unique among the steps of a session and its sub-agents. */
export function stepKey(path: AgentPath, turn: number, step: number): string {
  return [...path, { turn, step }].map((part) => `${part.turn}.${part.step}`).join('-');
}
