import { metricByName } from '../../metrics/index.ts';
import { SIGNALS } from '../../metrics/session/signals.ts';
import type { ReportSignal } from '../../protocol/report.ts';
import { isScore, metricResult } from '../../report-model/metric-results.ts';
import type { SessionResultsView } from '../results/session-view.ts';
import { lowerIsBetter } from './scores.ts';
import { turnReport } from './turn-reports.ts';
import { limitName } from './values.ts';

/** Drawn unless somebody asks for others. */
const DEFAULT_SIGNALS = [...SIGNALS, 'task_completion'];

/** Names that are offered. */
const MAX_NAMES = 200;

/** Scores over the turns. @param wanted names of metrics. */
export function buildSignals(held: SessionResultsView, wanted: readonly string[] = DEFAULT_SIGNALS) {
  const available = chartableMetrics(held);
  const signals = wanted.filter((metric) => available.has(metric)).map((metric) => buildSignal(held, metric));
  return { signals, available: [...available].slice(0, MAX_NAMES) };
}

/** Metrics that have a number on a scale in some turn. */
function chartableMetrics({ detail }: SessionResultsView): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { metrics } of detail.report.turns) {
    for (const metric in metrics) {
      const result = metrics[metric];
      if (!result || result.implied || names.has(metric) || metric.length > 120) continue;
      if (isScore(result.status) && result.score !== null && result.scale?.[1] != null) names.add(metric);
    }
  }
  return names;
}

function buildSignal(held: SessionResultsView, metric: string): ReportSignal {
  const { turns } = held.detail.report;
  const first = turns
    .map(({ metrics }) => metricResult(metrics, metric))
    .find((result) => result && isScore(result.status));
  return {
    metric: limitName(metric),
    question: metricByName(metric)?.question ?? null,
    scale: first?.scale ?? null,
    threshold: first?.threshold ?? null,
    lowerIsBetter: lowerIsBetter(metric),
    values: Array.from({ length: held.row.turns }, (_, turn) => {
      const report = turnReport(held, turn);
      const score = report && metricResult(report.metrics, metric)?.score;
      return score == null || !Number.isFinite(score) ? null : Math.round(score * 1000) / 1000;
    }),
  };
}
