import type { AttemptStatistics } from '../../core/report.ts';
import { betaQuantile } from '../shared/beta.ts';

/** Statistics of one metric over the attempts of a task, in the scale of the scores; null without scores. */
export function attemptStatistics(scores: readonly number[]): AttemptStatistics | null {
  const n = scores.length;
  if (n === 0) return null;
  const mean = scores.reduce((sum, score) => sum + score, 0) / n;
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  const standardDeviation = Math.sqrt(squares / n);
  const error = n === 1 ? null : studentT95(n - 1) * Math.sqrt(squares / (n - 1) / n);
  return {
    n,
    scores,
    mean,
    standardDeviation,
    spreadOfSingleRuns: [mean - 1.96 * standardDeviation, mean + 1.96 * standardDeviation],
    meanInterval: error === null ? null : [mean - error, mean + error],
  };
}

/** The t that 95% of Student's distribution lies within: with x = v / (v + t^2), x is a Beta(v/2, 1/2) quantile. */
export function studentT95(degrees: number): number {
  const x = betaQuantile(0.05, degrees / 2, 0.5);
  return Math.sqrt(degrees * (1 / x - 1));
}
