import type { ObservationRow, SessionProblemRow } from '../../protocol/messages.ts';
import { summarizeTurns, type TurnSummary } from '../../report-model/turn-summary.ts';
import type { SessionResultsView, TurnLocation } from './session-results-view.ts';

/** A turn's summary with its location in the text that was evaluated. */
export interface LocatedTurnSummary extends TurnSummary<SessionProblemRow, ObservationRow> {
  readonly location: TurnLocation | null;
}

/** The summaries of a session's turns, in the order of its report. */
export function locateSummaries(session: SessionResultsView): LocatedTurnSummary[] {
  const { report, run, gates } = session.detail;
  const ownThresholds = new Set([...(run.ownThresholds ?? []), ...gates.map(({ metric }) => metric)]);
  const summaries = summarizeTurns(report.turns, session, ownThresholds);
  return summaries.map((summary, at) => ({ ...summary, location: session.turnPlaces[at] ?? null }));
}
