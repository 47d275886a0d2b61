import type { FileSession } from '../../protocol/report.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { limitName } from './values.ts';

/** The sessions that begin in the same file, in file order. */
export function listFileSessions(view: SessionResultsView, results: EvaluationResults): readonly SessionResultsView[] {
  const there = results.sessionsIn(view.file).filter(({ file }) => file === view.file);
  return there.toSorted(byPosition);
}

function byPosition(
  { row: { location: a } }: SessionResultsView,
  { row: { location: b } }: SessionResultsView,
): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

export function fileSessionRow({ row }: SessionResultsView): FileSession {
  const { key, id, verdict, risk, turns, problems, headline } = row;
  return {
    key,
    id: limitName(id),
    verdict,
    risk,
    turns,
    problems,
    headline: { ...headline, text: limitName(headline.text) },
  };
}
