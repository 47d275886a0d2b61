import type { ResultsByMetric } from '../core/report.ts';
import type { Result, Status } from '../core/result.ts';
import { scaleRange } from '../core/scale.ts';
import { meetsThreshold } from '../core/scoring.ts';
import { metricByName } from '../metrics/index.ts';

/** Summarises the other scores of a turn or a session, so views show it apart from them. */
export const TURN_RISK = 'turn_risk';
export const SESSION_RISK = 'session_risk';

/** A metric's name and its result. */
export type NamedResult = readonly [name: string, result: Result];

/** Results without those that only repeat another metric's result (`implied`): they are neither counted nor shown. */
export function ownResults(metrics: ResultsByMetric): NamedResult[] {
  return Object.entries(metrics).filter(([, { implied }]) => !implied);
}

/** A metric's result; undefined where it did not run. */
export function metricResult(metrics: ResultsByMetric, metric: string): Result | undefined {
  return Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
}

/** A metric's score; null unless its status is `scored`. */
export function scoreOf(metrics: ResultsByMetric, metric: string): number | null {
  const result = metricResult(metrics, metric);
  return result?.status === 'scored' ? result.score : null;
}

/** All others say why there is no result, or that there was nothing to judge. */
const WITH_SOMETHING_TO_SAY: ReadonlySet<Status> = new Set(['scored', 'error', 'cancelled']);

/** Whether a result says only that there is nothing to say. Never one that failed or whose score is below its threshold. */
export function saysNothing(metric: string, { status, passed, score, threshold }: Result): boolean {
  if (WITH_SOMETHING_TO_SAY.has(status) || passed === false) return false;
  return score === null || threshold === null || meetsThreshold(score, threshold, lowerIsBetter(metric));
}

/** What is known of a metric without any result; undefined of one that is not built in. */
export function builtInMetric(name: string) {
  const metric = metricByName(name);
  return metric && { scope: metric.scope, range: scaleRange(metric.scale), threshold: metric.threshold };
}

export function lowerIsBetter(metric: string): boolean {
  return metricByName(metric)?.lowerIsBetter === true;
}

/** Whether a model is asked for the metric: a built-in one that needs a judge. */
export function usesJudge(metric: string): boolean {
  return metricByName(metric)?.usesJudge === true;
}

/** Whether a metric is one of the configuration's own, computed by Turnwise: imported scores may have any name. */
export function isCustomMetric(metric: string, { source }: Pick<Result, 'source'>): boolean {
  return metricByName(metric) === undefined && (source === 'rules' || source === 'judge');
}

/** Whether a metric only counts what the trace records, so that neither rules, models nor versions of Turnwise change it. */
export function isTraceFigure(metric: string): boolean {
  return TRACE_FIGURES.has(metric);
}

const TRACE_FIGURES: ReadonlySet<string> = new Set([
  'response_time',
  'token_usage',
  'tool_call_count',
  'model_call_count',
]);

/** Whether a metric compares texts by an embedder. */
export function usesEmbedder(metric: string): boolean {
  return metricByName(metric)?.needs.includes('embedder') === true;
}

/** The metrics whose results a built-in metric reads. */
export function usedMetrics(metric: string): readonly string[] {
  return metricByName(metric)?.uses ?? [];
}

/** Whether Turnwise has a metric of this name itself. */
export function isBuiltInMetric(metric: string): boolean {
  return metricByName(metric) !== undefined;
}
