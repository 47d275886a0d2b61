import { metricByName } from '../../metrics/index.ts';
import { SIGNALS } from '../../metrics/session/signals.ts';
import type { ReportSignal } from '../../protocol/report.ts';
import { isScore, metricResult } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { lowerIsBetter } from './scores.ts';
import { limitName } from './values.ts';

/** Drawn by default. */
const DEFAULT_SIGNALS = [...SIGNALS, 'task_completion'];

/** Metric names that are offered. */
const MAX_NAMES = 200;

/** Scores over the turns. @param wanted names of metrics. */
export function buildSignals(model: SessionModel, wanted: readonly string[] = DEFAULT_SIGNALS) {
  const available = chartableMetrics(model);
  const signals = wanted.filter((metric) => available.has(metric)).map((metric) => buildSignal(model, metric));
  return { signals, available: [...available].slice(0, MAX_NAMES) };
}

/** Metrics with a number on a bounded scale in some turn. */
function chartableMetrics({ report }: SessionModel): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { metrics } of report.turns) {
    for (const metric in metrics) {
      const result = metrics[metric];
      if (!result || result.implied || names.has(metric) || metric.length > 120) continue;
      if (isScore(result.status) && result.score !== null && result.scale?.[1] != null) names.add(metric);
    }
  }
  return names;
}

function buildSignal(model: SessionModel, metric: string): ReportSignal {
  const { turns } = model.report;
  const first = turns
    .map(({ metrics }) => metricResult(metrics, metric))
    .find((result) => result && isScore(result.status));
  return {
    metric: limitName(metric),
    question: metricByName(metric)?.question ?? null,
    scale: first?.scale ?? null,
    threshold: first?.threshold ?? null,
    lowerIsBetter: lowerIsBetter(metric),
    values: Array.from({ length: model.turnCount }, (_, turn) => {
      const report = model.turn(turn);
      const score = report && metricResult(report.metrics, metric)?.score;
      return score == null || !Number.isFinite(score) ? null : Math.round(score * 1000) / 1000;
    }),
  };
}
