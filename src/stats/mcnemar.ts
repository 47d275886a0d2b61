import { betaCdf } from './beta.ts';
import type { ExactTest } from './exact-test.ts';

/**
 * The exact test of paired outcomes that differ: whether both sides succeed equally often (Q. McNemar, "Note on the sampling
 * error of the difference between correlated proportions or percentages", 1947). Pairs that agree say nothing and are not
 * counted: the others are a binomial sample with p = 1/2. Of any size.
 *
 * @param onlyFirst pairs in which only the first side succeeds. @param onlySecond those in which only the second does.
 */
export function mcnemar(onlyFirst: number, onlySecond: number): ExactTest {
  const less = atMost(onlyFirst, onlyFirst + onlySecond);
  const greater = atMost(onlySecond, onlyFirst + onlySecond);
  return { p: Math.min(1, 2 * Math.min(less, greater)), less, greater };
}

/** P(X <= k) of n fair coins. */
function atMost(k: number, n: number): number {
  return k >= n ? 1 : betaCdf(0.5, n - k, k + 1);
}
