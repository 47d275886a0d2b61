import { canonicalJson } from '../../core/json.ts';
import type { ComparabilityNote } from '../../core/run-comparison.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { isJudgedOutcome } from '../../report-model/agent-outcome.ts';
import { isTraceFigure, usedMetrics } from '../../report-model/metric-results.ts';
import type { Remedies } from '../remedies.ts';
import type { LabelledRun } from '../run-label.ts';

/** Shares of sessions, which no metric of the plan is. */
export const VERDICT = 'verdict';
export const CORRECT = 'correct';

/** What one check found. */
export type SettingsDifference = Omit<ComparabilityNote, 'run'>;

/** What the checks of two runs read. */
export interface ComparedSettings {
  readonly a: RunManifest;
  readonly b: RunManifest;
  readonly first: LabelledRun;
  readonly other: LabelledRun;
  /** Of the other run in the comparison. */
  readonly position: number;
  /** Metrics of both plans. */
  readonly shared: readonly string[];
  /** Metrics of which a judge gave a score. */
  readonly judged: ReadonlySet<string>;
  /** These metrics, those that use them, and the shares that they decide. */
  affected(metrics: Iterable<string>): string[];
  /** What the verdict decides, and the verdict. */
  readonly byVerdict: readonly string[];
  readonly remedies: Remedies;
}

export function settingsOf(
  first: LabelledRun,
  other: LabelledRun,
  position: number,
  remedies: Remedies,
): ComparedSettings {
  const [a, b] = [first.run.manifest, other.run.manifest];
  const inB = new Set(b.plan.metrics.map(({ name }) => name));
  const shared = a.plan.metrics.map(({ name }) => name).filter((name) => inB.has(name));
  const rows = [...first.run.rows, ...other.run.rows];
  const sources = new Set(rows.map(({ outcome }) => outcome.source));
  const isByVerdict = rows.some(({ outcome, correct }) => outcome.status === 'unknown' && correct !== null);
  const decidesVerdict = new Set(
    [a, b].flatMap(({ plan }) => [
      ...plan.thresholds.map(({ metric }) => metric.name),
      ...plan.failureMetrics,
      ...[plan, ...(plan.metricsByTask ?? [])].flatMap(({ metrics }) =>
        metrics.flatMap(({ name, hasOwnThreshold }) => (hasOwnThreshold ? [name] : [])),
      ),
    ]),
  );
  const byVerdict = isByVerdict || a.plan.correctBy === VERDICT ? [VERDICT, CORRECT] : [VERDICT];
  const affected = (metrics: Iterable<string>) => {
    const all = new Set(metrics);
    // Every metric of a plan comes after those that it uses.
    for (const name of shared) if (usedMetrics(name).some((used) => all.has(used))) all.add(name);
    const names = [...all];
    if (names.some((name) => decidesVerdict.has(name))) for (const name of byVerdict) all.add(name);
    const isOutcome = sources.has('judge') && names.some(isJudgedOutcome);
    if (isOutcome) for (const name of [VERDICT, CORRECT]) all.add(name);
    if (names.some((name) => name === a.plan.correctBy)) all.add(CORRECT);
    return [...all];
  };
  const byThreshold = sources.has('expected') ? [VERDICT, CORRECT] : byVerdict;
  const judged = new Set(rows.flatMap((row) => row.judged));
  return { a, b, first, other, position, shared, judged, affected, byVerdict: byThreshold, remedies };
}

export function hasQuestion(metric: string, { questions }: RunManifest): boolean {
  return questions[metric] !== undefined;
}

/** By Turnwise itself, from more than figures of the trace. */
export function isComputed(metric: string, a: RunManifest, b: RunManifest): boolean {
  return !isTraceFigure(metric) && !(hasQuestion(metric, a) && hasQuestion(metric, b));
}

const SHOWN = 5;

export function listNames(names: readonly string[]): string {
  return joinWithAnd(limitList(names, SHOWN));
}

export function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
