import type { TurnReport } from '../core/report.ts';
import { isShortfall, thresholdDistance } from './shortfall.ts';

/**
 * The turn metrics that are most worth a column: those with turns that miss their threshold first, then by distance to the
 * threshold, then by spread between turns. Scores without a threshold are only in the JSON report.
 */
export function mostRelevantMetrics(turns: readonly TurnReport[], count: number): string[] {
  const statistics = new Map<string, { failing: number; margin: number; min: number; max: number }>();
  for (const { metrics } of turns) {
    for (const [name, result] of Object.entries(metrics)) {
      const { status, score, scale, threshold, implied } = result;
      if (name === 'turn_risk' || threshold === null || implied || !scale || scale[1] === null) continue;
      if (status !== 'scored' || score === null) continue;
      const share = (score - scale[0]) / (scale[1] - scale[0]);
      const distance = thresholdDistance(score, threshold, scale);
      const isFailing = isShortfall(result);
      const known = statistics.get(name) ?? { failing: 0, margin: 1, min: 1, max: 0 };
      known.failing += isFailing ? 1 : 0;
      known.margin = Math.min(known.margin, isFailing ? -distance : distance);
      known.min = Math.min(known.min, share);
      known.max = Math.max(known.max, share);
      statistics.set(name, known);
    }
  }
  return [...statistics]
    .sort(([, a], [, b]) => b.failing - a.failing || a.margin - b.margin || b.max - b.min - (a.max - a.min))
    .slice(0, Math.max(0, count))
    .map(([name]) => name);
}
