import type { AgentPath } from '../src/protocol/report-values.ts';

/** A step, among all steps of a session and of its sub-agents. */
export function stepKey(path: AgentPath, turn: number, step: number): string {
  return [...path, { turn, step }].map((one) => `${one.turn}.${one.step}`).join('-');
}
