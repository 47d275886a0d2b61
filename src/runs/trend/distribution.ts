import type { RecordedRun } from '../../core/run-record.ts';
import type { MetricDistribution } from '../../core/run-trend.ts';
import { toBins } from '../../report-model/score-distributions.ts';
import { meanInterval } from './mean-interval.ts';
import { runLabel } from './run-trend.ts';
import { findSubject } from './subject.ts';

/** How the values of a subject are distributed over the sessions of a run. Null where no session has one. */
export function metricDistribution(run: RecordedRun, name: string): MetricDistribution | null {
  const found = findSubject(name, null, [run]);
  if (!found) return null;
  const { subject, of } = found;
  const values = run.rows.flatMap((row) => of(row) ?? []).sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const { threshold, lowerIsBetter } = subject;
  return {
    schemaVersion: 1,
    subject,
    run: runLabel(run.manifest),
    n: values.length,
    missing: run.rows.length - values.length,
    mean,
    median: medianOf(values),
    standardDeviation: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)),
    interval: meanInterval(
      values.map((value) => [value]),
      subject,
    ),
    missed:
      threshold === null
        ? null
        : values.filter((value) => (lowerIsBetter ? value > threshold : value < threshold)).length,
    bins: toBins(values, subject.scale),
  };
}

/** @param sorted at least one. */
function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
}
