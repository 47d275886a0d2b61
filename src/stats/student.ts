import { memoizeRecent } from '../core/cache/memoize.ts';
import { betaQuantile } from './beta.ts';

/**
 * The t with P(|T| > t) = alpha for Student's distribution: with x = v / (v + t^2), x is a Beta(v/2, 1/2) quantile.
 *
 * @param alpha between 0 and 1. @param degrees of freedom, at least 1.
 */
export function studentCritical(alpha: number, degrees: number): number {
  const x = betaQuantile(alpha, degrees / 2, 0.5);
  return Math.sqrt(degrees * (1 / x - 1));
}

/** The t that 95% of Student's distribution lies within. Many tasks have as many attempts. */
export const studentT95: (degrees: number) => number = memoizeRecent((degrees) => studentCritical(0.05, degrees), 1000);
