import type { ResultsByMetric, TurnReport } from '../core/report.ts';
import type { Severity } from '../core/severity.ts';
import { metricResult, TURN_RISK } from './metric-results.ts';
import { bySeverity } from './session-findings.ts';
import { type Shortfall, worstShortfall } from './shortfall.ts';

interface InTurn {
  /** Zero-based index of the turn. */
  readonly turn: number;
}

/** What a view says of one turn. Views choose how much they know of a problem and an observation. */
export interface TurnSummary<Problem, Observation> {
  /** Zero-based. */
  readonly index: number;
  /** `turn_risk`, 0 to 1; null where it has no score. */
  readonly risk: number | null;
  /** The score that misses its threshold by most; null where none does. */
  readonly worst: Shortfall | null;
  /** The same of the metrics whose thresholds the user set: it is a problem. */
  readonly missed: Shortfall | null;
  readonly metrics: ResultsByMetric;
  /** The most severe first. */
  readonly failures: readonly Problem[];
  readonly observations: readonly Observation[];
}

/** A summary of each turn, in the order of the report. @param ownThresholds metrics whose thresholds the user set. */
export function summarizeTurns<Problem extends InTurn & { readonly severity: Severity }, Observation extends InTurn>(
  turns: readonly Pick<TurnReport, 'index' | 'metrics'>[],
  findings: { readonly failures: readonly Problem[]; readonly observations: readonly Observation[] },
  ownThresholds: ReadonlySet<string>,
): TurnSummary<Problem, Observation>[] {
  const failures = Map.groupBy(findings.failures, ({ turn }) => turn);
  const observations = Map.groupBy(findings.observations, ({ turn }) => turn);
  return turns.map(({ index, metrics }) => ({
    index,
    risk: metricResult(metrics, TURN_RISK)?.score ?? null,
    worst: worstShortfall(metrics),
    missed: worstShortfall(metrics, ownThresholds),
    metrics,
    failures: (failures.get(index) ?? []).toSorted(bySeverity),
    observations: observations.get(index) ?? [],
  }));
}
