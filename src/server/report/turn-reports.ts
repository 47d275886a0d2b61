import type { TurnReport } from '../../core/report.ts';
import type { SessionResultsView } from '../results/session-view.ts';

const KNOWN = new WeakMap<SessionResultsView, ReadonlyMap<number, TurnReport>>();

/** What is said of a turn; undefined while it is being evaluated. Turns land in whatever order. */
export function turnReport(held: SessionResultsView, turn: number): TurnReport | undefined {
  const { turns } = held.detail.report;
  const there = turns[turn];
  if (there?.index === turn) return there;
  const known = KNOWN.get(held) ?? new Map(turns.map((report) => [report.index, report]));
  KNOWN.set(held, known);
  return known.get(turn);
}
