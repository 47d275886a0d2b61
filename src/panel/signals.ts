import { metricByName } from '../metrics/index.ts';
import type { ReportSignal } from '../protocol/report.ts';
import { lowerIsBetter } from '../report-model/metric-results.ts';
import { chartableMetrics, DEFAULT_SERIES, metricSeries } from '../report-model/metric-series.ts';
import type { SessionModel } from '../report-model/session-model.ts';
import { MAX_NAME } from './limits.ts';

/** Metric names that are offered. */
const MAX_NAMES = 200;

/** Scores over the turns. @param wanted names of metrics. */
export function buildSignals(model: SessionModel, wanted: readonly string[] = DEFAULT_SERIES) {
  const available = [...chartableMetrics(model)].filter((metric) => metric.length <= MAX_NAME);
  const signals = wanted.filter((metric) => available.includes(metric)).map((metric) => buildSignal(model, metric));
  return { signals, available: available.slice(0, MAX_NAMES) };
}

function buildSignal(model: SessionModel, metric: string): ReportSignal {
  const { scale, threshold, scores } = metricSeries(model, metric);
  return {
    metric,
    question: metricByName(metric)?.question ?? null,
    scale,
    threshold,
    lowerIsBetter: lowerIsBetter(metric),
    values: scores.map((score) => (score === null ? null : Math.round(score * 1000) / 1000)),
  };
}
