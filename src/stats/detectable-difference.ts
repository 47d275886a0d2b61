import { studentCritical } from './student.ts';

/** No test of signs has p < 0.05 below so many differences. */
const FEWEST = 6;
const ALPHA = 0.05;
const POWER = 0.8;

/**
 * The smallest true mean difference that a two-sided test at 5% over so many tasks finds in 4 of 5 cases: the sum of the
 * critical values of alpha and power, times the standard error (J. Cohen, Statistical Power Analysis for the Behavioral
 * Sciences, 1988, chapter 2).
 *
 * Few differences that are all alike do not show that no others exist: the spread is taken as if two more tasks had been seen, one
 * with the largest difference possible and one with the opposite.
 *
 * @param differences one of each task. @param largest the greatest size that one can have; 0 where there is no bound.
 * @returns in the unit of the differences; null for less than six, which can show none, and where nothing is known of their spread.
 */
export function detectableDifference(differences: readonly number[], largest: number): number | null {
  const n = differences.length;
  if (n < FEWEST) return null;
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / n;
  const squares = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) + 2 * largest ** 2;
  if (squares === 0) return null;
  const degrees = largest === 0 ? n - 1 : n + 1;
  const critical = studentCritical(ALPHA, degrees) + studentCritical(2 * (1 - POWER), degrees);
  return critical * Math.sqrt(squares / degrees / n);
}
