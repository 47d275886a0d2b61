import type { AttemptStatistics } from '../../core/report.ts';
import { studentT95 } from '../../stats/student.ts';

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
