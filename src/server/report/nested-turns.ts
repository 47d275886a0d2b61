import type { Session, Turn } from '../../core/session.ts';
import type { AgentPath } from '../../protocol/report-values.ts';

/** Turns of a session, or of a sub-agent in it. */
export interface TurnList {
  readonly turns: readonly Turn[];
  /** That they were read from, unless one of them says otherwise. */
  readonly file: string;
}

/** Null where no sub-agent is at the end of the path. */
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
