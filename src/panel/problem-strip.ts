import type { ProblemStrip } from '../protocol/report.ts';
import type { SessionModel } from '../report-model/session-model.ts';
import { problemsInTurn, turnOverview } from '../report-model/turn-overview.ts';

/** Limit of problems with a mark of their own. Beyond it, turns are marked in groups. */
const MAX_MARKS = 2000;

/** Columns with one entry per turn, and a mark for each problem. */
export function buildStrip(model: SessionModel): ProblemStrip {
  const turns = Array.from({ length: model.turnCount }, (_, turn) => turnOverview(model, turn));
  const marks = turns.flatMap((_, turn) => problemsInTurn(model, turn).map(({ severity }) => ({ turn, severity })));
  return {
    turns: model.turnCount,
    severity: turns.map(({ severity }) => severity),
    problems: turns.map(({ problems }) => problems),
    coverage: turns.map(({ coverage }) => coverage),
    marks: marks.slice(0, MAX_MARKS),
  };
}
