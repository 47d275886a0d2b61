import type { Session, Turn } from '../../core/session.ts';
import type { AgentPath } from '../../protocol/report-values.ts';

/** The turns of a session, or of a sub-agent in it. */
export interface TurnList {
  readonly turns: readonly Turn[];
  /** The file of the turns that name no other. */
  readonly file: string;
}

/** Null where the path leads to no sub-agent. */
export function nestedTurns(session: Session, path: AgentPath): TurnList | null {
  let level: TurnList = { turns: session.turns, file: session.source.file };
  for (const { turn: index, step: at } of path) {
    const turn = level.turns[index];
    const step = turn?.steps[at];
    if (step?.type !== 'agent') return null;
    level = { turns: step.turns, file: turn?.file ?? level.file };
  }
  return level;
}
