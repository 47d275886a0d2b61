import { sigmoid } from '../../../src/metrics/shared/risk-model.ts';

/** One observation: what was seen, and whether it failed. */
export interface Example {
  /** None is negative. */
  readonly features: readonly number[];
  /** What is added to its log-odds beside the features. */
  readonly offset: number;
  readonly failed: boolean;
}

export interface LogisticFit {
  readonly intercept: number;
  /** None is negative. */
  readonly weights: readonly number[];
}

const MOST_ROUNDS = 10_000;
const PRECISE = 1e-10;

/**
 * Logistic regression whose weights cannot be negative, by maximum a posteriori: each weight has a normal prior with
 * mean `priors[i]` and standard deviation `sd`, the intercept has none. Minimises the log loss
 * + Σ (w_i - prior_i)² / (2 sd²), which is convex, by coordinate descent: each coordinate in turn takes a Newton step,
 * cut off at 0. Steps under a bound of the curvature never overshoot, so it is exact and the same every time.
 */
export function fitLogistic(examples: readonly Example[], priors: readonly number[], sd: number): LogisticFit {
  const weights = [...priors];
  const failures = examples.filter(({ failed }) => failed).length;
  let intercept = Math.log((failures + 0.5) / (examples.length - failures + 0.5));
  const sums = examples.map(({ features, offset }) => intercept + offset + dot(weights, features));
  // The logistic function's second derivative is at most 1/4.
  const bounds = priors.map((_, i) => examples.reduce((sum, { features }) => sum + at(features, i) ** 2, 0) / 4);

  /** The derivative of the log loss along one coordinate. */
  const slope = (along: (example: Example) => number) =>
    examples.reduce((sum, example, row) => sum + along(example) * (sigmoid(at(sums, row)) - Number(example.failed)), 0);
  const shift = (by: number, along: (example: Example) => number) => {
    for (const [row, example] of examples.entries()) sums[row] = at(sums, row) + by * along(example);
  };

  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    let moved = 0;
    if (examples.length > 0) {
      const step = (-4 * slope(() => 1)) / examples.length;
      intercept += step;
      shift(step, () => 1);
      moved = Math.abs(step);
    }
    for (const [i, prior] of priors.entries()) {
      const along = ({ features }: Example) => at(features, i);
      const old = at(weights, i);
      const gradient = slope(along) + (old - prior) / sd ** 2;
      const next = Math.max(0, old - gradient / (at(bounds, i) + 1 / sd ** 2));
      if (next === old) continue;
      weights[i] = next;
      shift(next - old, along);
      moved = Math.max(moved, Math.abs(next - old));
    }
    if (moved < PRECISE) break;
  }
  return { intercept, weights };
}

function dot(weights: readonly number[], features: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * at(features, i), 0);
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0;
}
