import type { Configuration } from '../config/schema.ts';
import type { Gate } from '../core/report.ts';
import { type Coverage, coverage, meetsThreshold, type Result } from '../core/result.ts';
import type { Metric } from '../metrics/metric.ts';
import { meanScore } from './aggregate.ts';

/** A threshold that gates: on the mean of a metric's scored results within a scope. */
export interface GateThreshold {
  /** What the gate is called: the metric, or a part of it. */
  readonly name: string;
  readonly metric: Metric;
  readonly value: number;
  /** What is measured, where it is not the result's own score; null where a result does not have it. */
  readonly read?: (result: Result) => Result | null;
}

/** One gate over results of the threshold's metric; `met` is null when nothing was scored or too little of it. */
export function evaluateThreshold(
  { name, metric, value, read }: GateThreshold,
  scope: Gate['scope'],
  subject: string | null,
  found: readonly Result[],
  { gates }: Configuration,
): Gate {
  const results = read ? found.flatMap((result) => read(result) ?? []) : found;
  const lowerIsBetter = metric.lowerIsBetter ?? false;
  const { scored, of } = coverage(results);
  const actual = results.some(({ status, score }) => status === 'scored' && score !== null) ? meanScore(results) : null;
  const enough = scored >= gates.minCoverage * of - 1e-9;
  return {
    scope,
    subject,
    metric: name,
    threshold: value,
    actual,
    scored,
    of,
    met: actual === null || !enough ? null : meetsThreshold(actual, value, lowerIsBetter),
    reason: gateReason(actual, value, lowerIsBetter, { scored, of }, enough, results),
  };
}

function gateReason(
  actual: number | null,
  value: number,
  lowerIsBetter: boolean,
  { scored, of }: Coverage,
  enough: boolean,
  results: readonly Result[],
): string {
  if (actual === null) {
    const why = results.find(({ status }) => status !== 'scored')?.reason;
    return `nothing scored${why ? `: ${why}` : ''}`;
  }
  if (!enough) return `only ${scored} of ${of} were scored, which is below the minimum coverage`;
  return `${actual.toFixed(2)}, ${lowerIsBetter ? 'at most' : 'at least'} ${value.toFixed(2)} was asked for`;
}
