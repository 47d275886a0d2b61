import { metricByName } from '../../metrics/index.ts';
import { SIGNALS } from '../../metrics/session/signals.ts';
import type { Signal } from '../../protocol/report.ts';
import type { HeldSession } from '../held/rows.ts';
import { isScore, lowerIsBetter, resultOf } from './scores.ts';
import { reportOfTurn } from './turn-reports.ts';
import { name } from './values.ts';

/** Drawn unless somebody asks for others. */
const DEFAULT = [...SIGNALS, 'task_completion'];

/** Names that are offered. */
const MOST = 200;

/** Scores over the turns. @param wanted names of metrics. */
export function signalsOf(held: HeldSession, wanted: readonly string[] = DEFAULT) {
  const available = drawable(held);
  const signals = wanted.filter((metric) => available.has(metric)).map((metric) => signalOf(held, metric));
  return { signals, available: [...available].slice(0, MOST) };
}

/** Metrics that have a number on a scale in some turn. */
function drawable({ detail }: HeldSession): ReadonlySet<string> {
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

function signalOf(held: HeldSession, metric: string): Signal {
  const { turns } = held.detail.report;
  const first = turns
    .map(({ metrics }) => resultOf(metrics, metric))
    .find((result) => result && isScore(result.status));
  return {
    metric: name(metric),
    question: metricByName(metric)?.question ?? null,
    scale: first?.scale ?? null,
    threshold: first?.threshold ?? null,
    lowerIsBetter: lowerIsBetter(metric),
    values: Array.from({ length: held.row.turns }, (_, turn) => {
      const report = reportOfTurn(held, turn);
      const score = report && resultOf(report.metrics, metric)?.score;
      return score == null || !Number.isFinite(score) ? null : Math.round(score * 1000) / 1000;
    }),
  };
}
