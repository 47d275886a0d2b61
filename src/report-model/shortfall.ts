import type { ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { TURN_RISK } from './metric-results.ts';

/** A score that does not meet its threshold. */
export interface Shortfall {
  readonly metric: string;
  readonly result: Result;
  readonly score: number;
  readonly threshold: number;
  /** How far the score is from the threshold, as a share of the scale: 0 to 1. */
  readonly distance: number;
}

/** Whether a score misses its threshold. Implied results repeat another metric's and do not count. */
function isShortfall(result: Result): boolean {
  return result.passed === false && !result.implied;
}

/** All scores that miss their thresholds, the farthest first. */
export function shortfalls(metrics: ResultsByMetric): Shortfall[] {
  return Object.entries(metrics)
    .flatMap(([metric, result]) => shortfallOf(metric, result) ?? [])
    .sort((a, b) => b.distance - a.distance);
}

/** Those that a judge gave. */
export function judgedShortfalls(metrics: ResultsByMetric): Shortfall[] {
  return shortfalls(metrics).filter(({ result }) => result.judge !== undefined);
}

/**
 * The score that misses its threshold by most; null where none does. A turn's risk summarises the others and is left out.
 *
 * @param names only these metrics.
 */
export function worstShortfall(metrics: ResultsByMetric, names?: ReadonlySet<string>): Shortfall | null {
  let worst: Shortfall | null = null;
  for (const metric in metrics) {
    const result = metrics[metric];
    const counts = names ? names.has(metric) : metric !== TURN_RISK;
    const shortfall = result && counts ? shortfallOf(metric, result) : null;
    if (shortfall && (!worst || shortfall.distance > worst.distance)) worst = shortfall;
  }
  return worst;
}

function shortfallOf(metric: string, result: Result): Shortfall | null {
  const { score, threshold } = result;
  if (!isShortfall(result) || score === null || threshold === null) return null;
  return { metric, result, score, threshold, distance: thresholdDistance(score, threshold, result.scale) };
}

/**
 * The distance between score and threshold as a share of the scale, so that metrics on different scales compare. A scale
 * without an upper end (counts, milliseconds) has no length of its own: it is taken to end at the larger of the two values.
 * Any fixed length would make every count or duration worse than every score from 0 to 1, and a length taken from the
 * score alone gives a share above 1 where the score is far below its threshold.
 */
function thresholdDistance(score: number, threshold: number, scale: Result['scale']): number {
  const [min, max] = scale ?? [0, 1];
  const length = (max ?? Math.max(score, threshold)) - min;
  return length > 0 ? Math.min(1, Math.abs(score - threshold) / length) : 0;
}
