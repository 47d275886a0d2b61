import type { ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { isScore } from '../core/statuses.ts';
import { type NamedResult, ownResults, TURN_RISK } from './metric-results.ts';

/** Scores below their threshold first, then those with a threshold, then others on a scale, then counts. */
export function displayedScores(results: readonly NamedResult[]): NamedResult[] {
  return results
    .filter(([, { status, score, label }]) => isScore(status) && (score ?? label) !== null)
    .toSorted(([, a], [, b]) => prominence(a) - prominence(b));
}

function prominence({ passed, threshold, scale }: Result): number {
  if (passed === false) return 0;
  if (threshold !== null) return 1;
  return scale !== null && scale[1] !== null ? 2 : 3;
}

/** What a turn's results say besides its risk: those with a score that is no problem, and those without a score. */
export function turnScores(metrics: ResultsByMetric, problemLabels: ReadonlySet<string>) {
  const results = ownResults(metrics).filter(([metric]) => metric !== TURN_RISK);
  return {
    // Labels that are shown as problems, with their reasons, are not repeated as scores.
    scores: results.filter(([, { label }]) => label === null || !problemLabels.has(label)),
    results,
  };
}
