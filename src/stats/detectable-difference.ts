import { betaQuantile } from './beta.ts';
import { studentCritical } from './student.ts';

/** No test of signs has p < 0.05 below so many differences. */
const FEWEST = 6;
const ALPHA = 0.05;
const POWER = 0.8;

/**
 * The smallest true mean difference that a two-sided test at 5% over so many tasks finds in 4 of 5 cases. It is the larger of two:
 *
 * - the sum of the critical values of alpha and power, times the standard error (J. Cohen, Statistical Power Analysis for the
 *   Behavioral Sciences, 1988, chapter 2);
 * - the difference by which six tasks change in 4 of 5 cases, all in one direction and as much as a changed task does: that few
 *   differences are all alike does not show that no others exist.
 *
 * @param differences one of each task. @param step how much a task changes if one of its attempts does, as far as it can; what is
 *   assumed where no task has changed. 0 where there is no bound.
 * @returns in the unit of the differences; null for less than six, which can show none, and where nothing is known of their size.
 */
export function detectableDifference(differences: readonly number[], step: number): number | null {
  const n = differences.length;
  if (n < FEWEST) return null;
  const sizes = differences.flatMap((difference) => (difference === 0 ? [] : Math.abs(difference)));
  const size = sizes.length === 0 ? step : sizes.reduce((sum, one) => sum + one, 0) / sizes.length;
  if (size === 0) return null;
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / n;
  const variance = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / (n - 1);
  const critical = studentCritical(ALPHA, n - 1) + studentCritical(2 * (1 - POWER), n - 1);
  // The share q of changed tasks with P(X >= 6) = 0.8 for X ~ Binomial(n, q).
  const share = betaQuantile(POWER, FEWEST, n - FEWEST + 1);
  return Math.max(critical * Math.sqrt(variance / n), size * share);
}
