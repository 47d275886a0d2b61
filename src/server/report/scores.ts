import { get, getNumber } from '../../core/json.ts';
import type { ResultsByMetric } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { metricByName } from '../../metrics/index.ts';
import { type ReportScore, UNSCORED_STATUSES, type UnscoredGroup } from '../../protocol/report-values.ts';
import type { CitationResolver } from './citations.ts';
import type { FeedbackLookup } from './feedback.ts';
import { MAX_ROWS } from './limits.ts';
import { describeSamples } from './samples.ts';
import { finiteOrNull, limitName, limitSentence } from './values.ts';

/** The name of a metric, and what it found. */
export type NamedResult = readonly [name: string, result: Result];

/** Shown in the strip and at the head of a turn, or of the session, not among its scores. */
export const TURN_RISK = 'turn_risk';
export const SESSION_RISK = 'session_risk';

/** What a metric says for another one is not counted, nor shown. */
export function ownResults(metrics: ResultsByMetric): NamedResult[] {
  return Object.entries(metrics).filter(([, { implied }]) => !implied);
}

/** A metric's result; undefined where it did not run. */
export function metricResult(metrics: ResultsByMetric, metric: string): Result | undefined {
  return Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
}

export function lowerIsBetter(metric: string): boolean {
  return metricByName(metric)?.lowerIsBetter === true;
}

/** What scores are shown with. */
export interface ScoreContext {
  /** Zero-based; null: of the session. */
  readonly turn: number | null;
  readonly citations: CitationResolver;
  readonly feedback: FeedbackLookup;
}

/** Those that fell short first, then those with a threshold, then others on a scale, then counts. */
export function scoreRows(results: readonly NamedResult[], parts: ScoreContext): ReportScore[] {
  return results
    .filter(([, { status, score, label }]) => isScore(status) && (score ?? label) !== null)
    .toSorted(([, a], [, b]) => prominence(a) - prominence(b))
    .slice(0, MAX_ROWS)
    .flatMap(([metric, result]) => scoreRow(metric, result, parts) ?? []);
}

export function isScore(status: Result['status']): status is ReportScore['status'] {
  return status === 'scored' || status === 'vacuous';
}

function prominence({ passed, threshold, scale }: Result): number {
  if (passed === false) return 0;
  if (threshold !== null) return 1;
  return scale !== null && scale[1] !== null ? 2 : 3;
}

/** Null where there is no score. */
export function scoreRow(
  metric: string,
  result: Result,
  { turn, citations: citing, feedback: opinionIn }: ScoreContext,
): ReportScore | null {
  const { status, score, label, labels, scale, threshold, passed, band, reason, source, judge, evidence } = result;
  const value = score ?? label;
  if (!isScore(status) || value === null) return null;
  return {
    metric: limitName(metric),
    status,
    value: typeof value === 'number' ? (finiteOrNull(value) ?? String(value)) : limitName(value),
    labels: labels.slice(0, MAX_ROWS).map(limitName),
    scale,
    threshold,
    passed,
    lowerIsBetter: lowerIsBetter(metric),
    band: band === null ? null : { name: band.name, meaning: band.meaning },
    reason: reason === null ? null : limitSentence(reason),
    source,
    judge: judge === undefined ? null : limitName(judge),
    cap: scoreCap(result),
    ...optionalFields(metric, result),
    ...citing.cite(evidence, reason),
    isAsked: source !== 'aggregate' && (judge !== undefined || metricByName(metric)?.usesJudge === true),
    opinion: opinionIn(turn, { type: 'metric', metric }),
  };
}

/** What is not so of most scores. */
function optionalFields(metric: string, result: Result): Pick<ReportScore, 'samples' | 'own'> {
  const samples = describeSamples(result);
  const isOwn = metricByName(metric) === undefined && (result.source === 'rules' || result.source === 'judge');
  return { ...(samples === null ? {} : { samples }), ...(isOwn ? { own: true } : {}) };
}

/** What is proven may leave less of a score than the judge gave. */
function scoreCap({ source, metadata }: Result): ReportScore['cap'] {
  const cap = get(metadata, 'cap');
  const [most, judged] = [getNumber(cap, 'most'), getNumber(cap, 'judged')];
  return source !== 'judge' || most === undefined || judged === undefined ? null : { most, judged };
}

/** Metrics without a score, by status and then by reason: one sentence for all that share it. */
export class UnscoredCollector {
  readonly #byStatus = new Map<Result['status'], Map<string | null, Set<string>>>();

  add(metric: string, { status, reason }: Result): void {
    if (isScore(status)) return;
    const reasons = this.#byStatus.get(status) ?? new Map<string | null, Set<string>>();
    this.#byStatus.set(status, reasons);
    const metrics = reasons.get(reason);
    if (metrics) metrics.add(metric);
    else reasons.set(reason, new Set([metric]));
  }

  /** @param applied what does not apply here and does there is not told of. */
  rows(applied: ReadonlySet<string> = new Set()): UnscoredGroup[] {
    return UNSCORED_STATUSES.flatMap((status): UnscoredGroup[] => {
      const told = Array.from(this.#byStatus.get(status) ?? [], ([reason, metrics]) => {
        return {
          reason,
          metrics:
            status === 'not_applicable' ? new Set([...metrics].filter((metric) => !applied.has(metric))) : metrics,
        };
      }).filter(({ metrics }) => metrics.size > 0);
      if (told.length === 0) return [];
      const reasons = told.slice(0, MAX_ROWS).map(({ reason, metrics }) => ({
        reason: limitSentence(reason ?? 'No reason was given.'),
        metrics: [...metrics].slice(0, MAX_ROWS).map(limitName),
      }));
      return [{ status, metrics: new Set(told.flatMap(({ metrics }) => [...metrics])).size, reasons }];
    });
  }
}

export function unscoredRows(results: readonly NamedResult[]): UnscoredGroup[] {
  const unscored = new UnscoredCollector();
  for (const [metric, result] of results) unscored.add(metric, result);
  return unscored.rows();
}
