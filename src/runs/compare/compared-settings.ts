import { canonicalJson } from '../../core/json.ts';
import type { ComparabilityNote } from '../../core/run-comparison.ts';
import type { RecordedRun, RunManifest } from '../../core/run-record.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { isJudgedOutcome } from '../../report-model/agent-outcome.ts';
import { isTraceFigure, usedMetrics } from '../../report-model/metric-results.ts';

/** Shares of sessions, which no metric of the plan is. */
export const VERDICT = 'verdict';
export const CORRECT = 'correct';

export interface LabelledRun {
  readonly run: RecordedRun;
  readonly label: string;
}

/** What one check found. */
export type Difference = Omit<ComparabilityNote, 'run'>;

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
}

export function settingsOf(first: LabelledRun, other: LabelledRun, position: number): ComparedSettings {
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
      ...plan.metrics.flatMap(({ name, hasOwnThreshold }) => (hasOwnThreshold ? [name] : [])),
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
  return { a, b, first, other, position, shared, judged, affected, byVerdict: byThreshold };
}

export function isAsked(metric: string, { questions }: RunManifest): boolean {
  return questions[metric] !== undefined;
}

/** By Turnwise itself, from more than figures of the trace. */
export function isComputed(metric: string, a: RunManifest, b: RunManifest): boolean {
  return !isTraceFigure(metric) && !(isAsked(metric, a) && isAsked(metric, b));
}

const SHOWN = 5;

export function listNames(names: readonly string[]): string {
  return joinWithAnd(limitList(names, SHOWN));
}

export function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

export function again({ run: { manifest }, label }: LabelledRun, how: string): string {
  return `Evaluate ${label} again ${how}: ${evaluation(manifest)}`;
}

export function evaluation({ inputs }: RunManifest, option = ''): string {
  return ['turnwise eval', ...inputs.map(shellWord), option].filter((word) => word !== '').join(' ');
}
