import type { RunAlert } from '../../core/report.ts';
import type { RecordedRun } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { findChangePoint } from '../../stats/change-point.ts';
import { findDrift, type SeriesValue } from '../../stats/cusum.ts';
import { formatValue } from '../compare/figures.ts';
import { meanOverTasks, toStrata } from './changes.ts';
import { type SegmentValues, splitSegments, type TaskValues } from './segments.ts';
import { findSubject, type SubjectFigure } from './subject.ts';

/** What to warn of, as the configuration says it. */
export interface AlertRule {
  /** A metric, a measure, a rule or a failure label. */
  readonly metric: string;
  readonly direction: 'rises' | 'falls';
  /** So many of the newest runs must be beyond the ones before; default: 1. */
  readonly for?: number | undefined;
  /** Instead, whether runs drift away slowly. */
  readonly drift: boolean;
  /** Whether an alert fails the run. */
  readonly gate: boolean;
}

/** Of both kinds of alerts: at most one of 100 unchanged runs has a false one. */
const FALSE_ALARMS = 0.01;

/**
 * The alerts of the newest run: what moved away from the runs before it that can be compared with it.
 *
 * @param runs complete ones, the oldest first.
 */
export function checkAlerts(runs: readonly RecordedRun[], rules: readonly AlertRule[]): RunAlert[] {
  return rules.flatMap((rule) => {
    const figure = findSubject(rule.metric, null, runs);
    const segment = figure && splitSegments(runs, figure).at(-1);
    if (!figure || !segment || (segment.values.at(-1)?.size ?? 0) === 0) return [];
    const known = segment.values.flatMap((values, index) => {
      const value = meanOverTasks([values]);
      return value === null ? [] : [{ values, value, run: runs[segment.from + index]?.manifest.id ?? '' }];
    });
    const alert = rule.drift ? driftAlert(segment, known, rule, figure) : persistentAlert(segment, known, rule, figure);
    return alert ?? [];
  });
}

/** A run of the segment that has a value. */
interface KnownRun {
  readonly values: TaskValues;
  readonly value: number;
  readonly run: string;
}

/** The newest runs are all beyond the mean of those before, and more than chance explains. */
function persistentAlert(
  { pairing }: SegmentValues,
  known: readonly KnownRun[],
  { metric, direction, for: length = 1, gate }: AlertRule,
  { subject }: SubjectFigure,
): RunAlert | null {
  const at = known.length - length;
  if (at < 1) return null;
  const reference = meanOverTasks(known.slice(0, at).map(({ values }) => values));
  const newest = known.slice(at);
  const now = meanOverTasks(newest.map(({ values }) => values));
  const value = known.at(-1)?.value;
  if (reference === null || now === null || value === undefined) return null;
  const rises = direction === 'rises';
  if (!newest.every((run) => (rises ? run.value > reference : run.value < reference))) return null;
  const strata = toStrata({ values: known.map(({ values }) => values), pairing });
  const change = findChangePoint(strata, known.length, { positions: [at] });
  // Its p is of both directions.
  if (!change || change.rises !== rises || change.p > 2 * FALSE_ALARMS) return null;
  const [before, after] = [reference, now].map((mean) => formatValue(mean, subject.unit));
  const where = length === 1 ? 'in this run' : `in the last ${length} runs`;
  return {
    metric,
    kind: 'persistent',
    direction,
    message: `${metric} ${direction}: ${after} ${where}, ${before} in ${pluralize(at, 'run')} before.`,
    value,
    reference,
    runs: newest.map(({ run }) => run),
    gate,
  };
}

function driftAlert(
  segment: SegmentValues,
  known: readonly KnownRun[],
  { metric, direction, gate }: AlertRule,
  { subject }: SubjectFigure,
): RunAlert | null {
  const drift = findDrift(toSeries(segment, known), direction === 'rises');
  const value = known.at(-1)?.value;
  if (!drift || value === undefined) return null;
  const runs = known.slice(drift.since).map(({ run }) => run);
  const [before, after] = [drift.reference, value].map((mean) => formatValue(mean, subject.unit));
  return {
    metric,
    kind: 'drift',
    direction,
    message: `${metric} ${direction} slowly: ${after} in this run, ${before} until ${pluralize(runs.length, 'run')} ago.`,
    value,
    reference: drift.reference,
    runs,
    gate,
  };
}

/** With the variance that means of so few sessions have even if nothing changes. */
function toSeries({ pairing }: SegmentValues, known: readonly KnownRun[]): SeriesValue[] {
  if (pairing === 'tasks') {
    const variance = varianceOfTasks(known);
    return known.map(({ value }) => ({ value, variance }));
  }
  return known.map(({ values, value }) => {
    const own = [...values.values()].flat();
    const squares = own.reduce((sum, session) => sum + (session - value) ** 2, 0);
    return { value, variance: own.length < 2 ? 0 : squares / (own.length - 1) / own.length };
  });
}

/** Of a mean over tasks that stay the same: from how each task varies from run to run, so that no lasting change counts. */
function varianceOfTasks(known: readonly KnownRun[]): number {
  const tasks = [...(known[0]?.values.keys() ?? [])];
  let total = 0;
  for (const task of tasks) {
    const means = known.flatMap(({ values }) => {
      const own = values.get(task);
      return own ? [own.reduce((sum, value) => sum + value, 0) / own.length] : [];
    });
    const steps = means.slice(1).map((mean, index) => (mean - (means[index] ?? mean)) ** 2);
    if (steps.length > 0) total += steps.reduce((sum, step) => sum + step, 0) / (2 * steps.length);
  }
  return tasks.length === 0 ? 0 : total / tasks.length ** 2;
}
