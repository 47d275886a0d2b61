/** A column of a design matrix with its coefficient. */
export interface LogisticTerm {
  /** Its values that are not 0, by the row of the example. */
  readonly values: readonly (readonly [row: number, value: number])[];
  /** The mean of the normal prior of its coefficient; the fit starts from it. */
  readonly prior: number;
  /** The standard deviation of that prior; `Infinity` for none. */
  readonly sd: number;
  /** The lowest coefficient: 0, or `-Infinity` for any. */
  readonly lowest: number;
}

const MAX_ROUNDS = 5000;
const PRECISION = 1e-7;

/**
 * Logistic regression by maximum a posteriori. Minimises the log loss + Σ (w_i - prior_i)² / (2 sd_i²), which is convex,
 * by coordinate descent: each coefficient in turn takes a Newton step, cut off at its lowest value. Steps under a bound of
 * the curvature never overshoot, so the result is the same every time.
 *
 * @param failed the outcome of each example. @param offsets what is added to the log-odds of each example.
 * @returns the coefficients of the terms, in their order
 */
export function fitLogistic(
  failed: readonly boolean[],
  offsets: readonly number[],
  terms: readonly LogisticTerm[],
): number[] {
  const weights = terms.map(({ prior }) => prior);
  const sums = Float64Array.from(failed, (_, row) => offsets[row] ?? 0);
  for (const [i, { values }] of terms.entries()) add(sums, values, weights[i] ?? 0);
  // The logistic function's second derivative is at most 1/4.
  const bounds = terms.map(({ values }) => values.reduce((sum, [, value]) => sum + value ** 2, 0) / 4);

  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let moved = 0;
    for (const [i, { values, prior, sd, lowest }] of terms.entries()) {
      const old = weights[i] ?? 0;
      const curvature = (bounds[i] ?? 0) + 1 / sd ** 2;
      if (curvature === 0) continue;
      let slope = (old - prior) / sd ** 2;
      for (const [row, value] of values) slope += value * (sigmoid(sums[row] ?? 0) - Number(failed[row]));
      const next = Math.max(lowest, old - slope / curvature);
      if (next === old) continue;
      weights[i] = next;
      add(sums, values, next - old);
      moved = Math.max(moved, Math.abs(next - old));
    }
    if (moved < PRECISION) break;
  }
  return weights;
}

function add(sums: Float64Array, values: LogisticTerm['values'], times: number): void {
  for (const [row, value] of values) sums[row] = (sums[row] ?? 0) + times * value;
}

/** From log-odds to a probability. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
