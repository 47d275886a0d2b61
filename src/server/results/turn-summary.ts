import type { ResultsByMetric as Metrics } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { severityRank } from '../../core/severity.ts';
import type { ObservationRow, SessionProblemRow } from '../../protocol/messages.ts';
import type { SessionResultsView, TurnLocation } from './session-view.ts';

/** What was found in a turn. All places are those in the text that was evaluated. */
export interface TurnSummary {
  /** Zero-based. */
  readonly index: number;
  readonly place: TurnLocation | null;
  /** `turn_risk`, 0 to 1; null where it has no score. */
  readonly risk: number | null;
  /** Of its scores that fail their threshold, the one that is furthest from it; null where none does. */
  readonly worst: { readonly metric: string; readonly result: Result } | null;
  readonly metrics: Metrics;
  /** The most severe first. */
  readonly failures: readonly SessionProblemRow[];
  readonly observations: readonly ObservationRow[];
}

/** What is held of a session never changes, and is asked for with every move of a pointer. */
const KNOWN = new WeakMap<SessionResultsView, readonly TurnSummary[]>();

/** In the order of its report. */
export function turnSummaries(session: SessionResultsView): readonly TurnSummary[] {
  const known = KNOWN.get(session) ?? summarizeTurns(session);
  KNOWN.set(session, known);
  return known;
}

function summarizeTurns(session: SessionResultsView): TurnSummary[] {
  const failures = Map.groupBy(session.failures, ({ turn }) => turn);
  const observations = Map.groupBy(session.observations, ({ turn }) => turn);
  return session.detail.report.turns.map(({ index, metrics }, at) => ({
    index,
    place: session.turnPlaces[at] ?? null,
    risk: Object.hasOwn(metrics, RISK) ? (metrics[RISK]?.score ?? null) : null,
    worst: worstScore(metrics),
    metrics,
    failures: (failures.get(index) ?? []).toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity)),
    observations: observations.get(index) ?? [],
  }));
}

/** It sums up the others, and is named apart. */
const RISK = 'turn_risk';

function worstScore(metrics: Metrics): TurnSummary['worst'] {
  let worst: TurnSummary['worst'] = null;
  for (const [metric, result] of Object.entries(metrics)) {
    if (result.passed !== false || result.implied || metric === RISK) continue;
    if (!worst || shortfall(result) > shortfall(worst.result)) worst = { metric, result };
  }
  return worst;
}

/** How far a score is from its threshold, as a share of its scale. */
function shortfall({ score, threshold, scale }: Result): number {
  const [least, most] = scale ?? [0, 1];
  const size = (most ?? Math.max(1, Math.abs(score ?? 0))) - least;
  return Math.abs((threshold ?? 0) - (score ?? 0)) / (size || 1);
}
