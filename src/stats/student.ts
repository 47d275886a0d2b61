import { betaQuantile } from './beta.ts';

/** The t that 95% of Student's distribution lies within: with x = v / (v + t^2), x is a Beta(v/2, 1/2) quantile. */
export function studentT95(degrees: number): number {
  const x = betaQuantile(0.05, degrees / 2, 0.5);
  return Math.sqrt(degrees * (1 / x - 1));
}
