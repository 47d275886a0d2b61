import type { Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { placesLookup } from '../engine/locations.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import { type EvaluationTotals, type ReduceOptions, reduceOutcomes, toSessionReport } from '../engine/reduce.ts';
import { METRICS } from '../metrics/index.ts';
import { type Metric, sessionMetric, turnMetric } from '../metrics/metric.ts';
import { completeReport } from '../runs/record/report-lines.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { withFolder } from './complete-record.ts';

/**
 * The report of a recorded run: the same that was written when it ended. Of a run that was killed, and of records of older
 * versions, it is made from the sessions.
 *
 * @param storage where the results of many sessions are put aside; the report can be read as long as it is there
 */
export async function reportOfRecord(record: RunRecord, storage: OutcomeStorage): Promise<Report> {
  const recorded = await record.report();
  const outcomes: SessionOutcome[] = [];
  for await (const outcome of record.sessions()) {
    const changed = recorded?.sessions[outcomes.length]?.metrics;
    const reported = changed ? { ...outcome, metrics: { ...outcome.metrics, ...changed } } : outcome;
    outcomes.push(storage.put(reported));
  }
  if (recorded?.sessions.every(({ id }, at) => outcomes[at]?.id === id)) {
    const sessions = recorded.sessions.flatMap(({ undecided = [], ...rest }, at) => {
      const outcome = outcomes[at];
      return outcome ? toSessionReport(outcome, { ...rest, undecided }) : [];
    });
    const report = completeReport(recorded, sessions, outcomes);
    if (report) return report;
  }
  const { plan, state, durationMs, shard, folder } = record.manifest;
  const totals = {
    sessions: outcomes.length,
    unfinishedFile: null,
    complete: state === 'complete',
    durationMs: durationMs ?? 0,
  };
  const report = await reduceParts({ plan, outcomes, totals, problems: [] }, { storage });
  return withFolder(shard ? { ...report, run: { ...report.run, shard } } : report, folder);
}

/** Sessions that other threads, processes or machines evaluated under one plan. */
export interface EvaluatedParts {
  readonly plan: Omit<RunPlan, 'boundaryKey'>;
  /** Of all parts, in input order, in whatever order they were finished; see `places` of an outcome. */
  readonly outcomes: readonly SessionOutcome[];
  readonly totals: EvaluationTotals;
  /** Problems of reading the sessions. */
  readonly problems: readonly Problem[];
}

/** What one process would have beside the outcomes; without them, only what they add is missing. */
export interface ReducePartsOptions extends Partial<Pick<ReduceOptions, 'judge' | 'usageBeside' | 'earlier'>> {
  readonly storage: OutcomeStorage;
  /** Of the programs that computed the outcomes. Only metrics of several sessions are computed here. */
  readonly metrics?: readonly Metric[];
}

/**
 * Makes the report of sessions that were evaluated elsewhere, without their traces: the same that one process would have made.
 * Everything that depends on several sessions is computed afresh from their outcomes.
 */
export async function reduceParts(
  { plan, outcomes, totals, problems }: EvaluatedParts,
  { storage, metrics = METRICS, judge = null, usageBeside = () => [], earlier }: ReducePartsOptions,
): Promise<Report> {
  const known = withoutUnknownSummaries({ ...plan, boundaryKey: null }, metrics);
  return await reduceOutcomes(known, outcomes, {
    totals,
    metrics: withRecordedMetrics(known, metrics),
    judge,
    storage,
    earlier,
    locate: placesLookup(outcomes),
    usageBeside,
    problems,
  });
}

type MetricEntry = RunPlan['metrics'][number];

/** Only a program that has a metric of several sessions can compute it. */
function withoutUnknownSummaries(plan: RunPlan, metrics: readonly Metric[]): RunPlan {
  const names = new Set(metrics.map(({ name }) => name));
  const computable = (entries: readonly MetricEntry[]) =>
    entries.filter(({ name, scope }) => scope === 'turn' || scope === 'session' || names.has(name));
  return {
    ...plan,
    metrics: computable(plan.metrics),
    ...(plan.metricsByTask && {
      metricsByTask: plan.metricsByTask.map((group) => ({ ...group, metrics: computable(group.metrics) })),
    }),
  };
}

/** Results of metrics that are not at hand are there: a summary needs their names. */
function withRecordedMetrics(plan: RunPlan, metrics: readonly Metric[]): readonly Metric[] {
  const names = new Set(metrics.map(({ name }) => name));
  const entries = [plan.metrics, ...(plan.metricsByTask ?? []).map((group) => group.metrics)].flat();
  const missing = new Map(entries.flatMap((entry) => (names.has(entry.name) ? [] : [[entry.name, entry]])));
  return [...metrics, ...Array.from(missing.values(), recordedMetric)];
}

function recordedMetric({ name, scope, template: { range, threshold } }: MetricEntry): Metric {
  const metric = {
    name,
    question: '',
    source: 'a record',
    scale: range === null ? ('label' as const) : ('unit' as const),
    threshold,
    needs: [],
    evaluate: () => ({ status: 'error' as const, reason: `${name} was computed elsewhere.` }),
  };
  return scope === 'turn' ? turnMetric(metric) : sessionMetric(metric);
}
