import type { Session, Turn } from '../../core/session.ts';

/** The turns of a session, or of a sub-agent in it. */
export interface TurnList {
  readonly turns: readonly Turn[];
  /** The file of the turns that name no other. */
  readonly file: string;
}

/** A step that calls a sub-agent. */
interface AgentCall {
  readonly turn: number;
  readonly step: number;
}

/** Null where the path leads to no sub-agent. @param path the calls that lead to it, from the session on. */
export function nestedTurns({ turns, source }: Session, path: readonly AgentCall[]): TurnList | null {
  return turnsWithin({ turns, file: source.file }, path);
}

/** The same, from turns on. */
export function turnsWithin(top: TurnList, path: readonly AgentCall[]): TurnList | null {
  let level = top;
  for (const { turn: index, step: at } of path) {
    const turn = level.turns[index];
    const step = turn?.steps[at];
    if (step?.type !== 'agent') return null;
    level = { turns: step.turns, file: turn?.file ?? level.file };
  }
  return level;
}
