import type { ObservationRow, SessionProblemRow } from '../../protocol/messages.ts';
import { summarizeTurns, type TurnSummary } from '../../report-model/turn-summary.ts';
import type { SessionResultsView, TurnLocation } from './session-view.ts';

/** A turn's summary with its location in the text that was evaluated. */
export interface LocatedTurnSummary extends TurnSummary<SessionProblemRow, ObservationRow> {
  readonly place: TurnLocation | null;
}

/** What is held of a session never changes, and is asked for with every move of a pointer. */
const KNOWN = new WeakMap<SessionResultsView, readonly LocatedTurnSummary[]>();

/** In the order of its report. */
export function turnSummaries(session: SessionResultsView): readonly LocatedTurnSummary[] {
  const known = KNOWN.get(session) ?? locateSummaries(session);
  KNOWN.set(session, known);
  return known;
}

function locateSummaries(session: SessionResultsView): LocatedTurnSummary[] {
  const summaries = summarizeTurns(session.detail.report.turns, session);
  return summaries.map((summary, at) => ({ ...summary, place: session.turnPlaces[at] ?? null }));
}
