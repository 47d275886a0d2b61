import type { ScoreRange } from '../core/scale.ts';
import { isScore } from '../core/statuses.ts';
import { SIGNALS } from '../metrics/session/signals.ts';
import { metricResult } from './metric-results.ts';
import type { SessionModel } from './session-model.ts';

/** Metrics that a chart shows by default. */
export const DEFAULT_SERIES: readonly string[] = [...SIGNALS, 'task_completion'];

/** The scores of a metric over the turns. */
export interface MetricSeries {
  readonly metric: string;
  readonly scale: ScoreRange | null;
  readonly threshold: number | null;
  /** One per turn; null without a score. */
  readonly scores: readonly (number | null)[];
}

/** Metrics with a number on a bounded scale in some turn. */
export function chartableMetrics({ report }: SessionModel): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { metrics } of report.turns) {
    for (const metric in metrics) {
      const result = metrics[metric];
      if (!result || result.implied || names.has(metric)) continue;
      if (isScore(result.status) && result.score !== null && result.scale?.[1] != null) names.add(metric);
    }
  }
  return names;
}

export function metricSeries(model: SessionModel, metric: string): MetricSeries {
  const first = model.report.turns
    .map(({ metrics }) => metricResult(metrics, metric))
    .find((result) => result && isScore(result.status));
  return {
    metric,
    scale: first?.scale ?? null,
    threshold: first?.threshold ?? null,
    scores: Array.from({ length: model.turnCount }, (_, turn) => {
      const report = model.turn(turn);
      const score = report && metricResult(report.metrics, metric)?.score;
      return score == null || !Number.isFinite(score) ? null : score;
    }),
  };
}
