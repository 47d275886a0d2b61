import type { SessionReport } from '../core/report.ts';
import type { ScoreRange } from '../core/scale.ts';
import { runMeans } from '../metrics/aggregate/run-means.ts';
import { completionRate } from '../metrics/run/completion-rate.ts';
import { lowerIsBetter, metricResult } from './metric-results.ts';
import type { TraceFacts } from './trace-facts.ts';

/** The scores of one metric in many sessions. */
export interface ScoreDistribution {
  readonly metric: string;
  /** What has a score each. */
  readonly unit: 'turn' | 'session';
  readonly n: number;
  readonly mean: number;
  /** Null for a single score. */
  readonly standardDeviation: number | null;
  /** The 95% interval of the mean; null for the scores of a single session. */
  readonly interval: readonly [number, number] | null;
  readonly scale: ScoreRange | null;
  readonly threshold: number | null;
  readonly lowerIsBetter: boolean;
  /** From the smallest to the largest value, of the same width; the last one contains its end. */
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}

type ScoredSession = Pick<SessionReport, 'turns' | 'metrics'>;

const BINS = 10;

/** The mean over the sessions of every metric that has a number, as a run computes it, and how the scores are distributed. */
export function scoreDistributions(sessions: readonly ScoredSession[]): ScoreDistribution[] {
  const means = runMeans(sessions, { turn: [], session: [] });
  const scores = collectScores(sessions);
  return Object.entries(means).flatMap(([metric, { score, scale, threshold, metadata }]): ScoreDistribution[] => {
    const own = scores.get(metric);
    if (score === null || !own || own.values.length === 0) return [];
    return [
      {
        metric,
        unit: own.unit,
        n: own.values.length,
        mean: score,
        standardDeviation: typeof metadata.sd === 'number' ? metadata.sd : null,
        interval: toInterval(metadata.ci95),
        scale,
        threshold,
        lowerIsBetter: lowerIsBetter(metric),
        bins: toBins(own.values, scale),
      },
    ];
  });
}

function toInterval(value: unknown): readonly [number, number] | null {
  if (!Array.isArray(value)) return null;
  const [low, high]: readonly unknown[] = value;
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : null;
}

interface Scores {
  readonly unit: ScoreDistribution['unit'];
  readonly values: number[];
}

/** Of turns where turns have the metric, else of sessions. */
function collectScores(sessions: readonly ScoredSession[]): ReadonlyMap<string, Scores> {
  const found = new Map<string, Scores>();
  const add = (metric: string, unit: Scores['unit'], metrics: SessionReport['metrics']) => {
    const result = metricResult(metrics, metric);
    if (result?.status !== 'scored' || result.score === null || !Number.isFinite(result.score) || result.implied)
      return;
    const known = found.get(metric);
    if (!known) found.set(metric, { unit, values: [result.score] });
    else if (known.unit === unit) known.values.push(result.score);
  };
  for (const { turns } of sessions) {
    for (const { metrics } of turns) for (const metric of Object.keys(metrics)) add(metric, 'turn', metrics);
  }
  for (const { metrics } of sessions) for (const metric of Object.keys(metrics)) add(metric, 'session', metrics);
  return found;
}

/** Over the whole scale where it has an end, else over the values. */
export function toBins(values: readonly number[], scale: ScoreRange | null): ScoreDistribution['bins'] {
  const [min, max] = scale && scale[1] !== null ? [scale[0], scale[1]] : extent(values);
  // Values outside of their scale are in the first or the last bin.
  const width = (max - min) / BINS;
  if (width === 0) return [{ from: min, to: max, count: values.length }];
  const counts = Array.from({ length: BINS }, () => 0);
  for (const value of values) {
    const index = Math.min(BINS - 1, Math.max(0, Math.floor((value - min) / width)));
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ from: min + index * width, to: min + (index + 1) * width, count }));
}

function extent(values: readonly number[]): [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}

/** The share of the sessions that were completed without human help, or why it is unknown. */
export function completionOf(sessions: readonly { readonly report: SessionReport; readonly facts: TraceFacts }[]): {
  readonly score: number | null;
  readonly reason: string | null;
} {
  const outcome = completionRate.evaluate(
    {
      sessions: sessions.map(({ report: { verdict, outcome, metrics }, facts }) => ({
        verdict,
        outcome,
        facts,
        result: (name) => metricResult(metrics, name),
      })),
    },
    {},
  );
  const score = outcome.status === 'scored' && 'score' in outcome ? outcome.score : null;
  return { score, reason: outcome.reason ?? null };
}
