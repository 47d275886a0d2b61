export interface Hypergeometric {
  /** The lowest number of successes with a probability that is not 0. */
  readonly low: number;
  /** Of that number and of the following ones; they sum to 1. */
  readonly probabilities: readonly number[];
}

/**
 * The number of successes in the first of two samples, if `successes` are spread over both at random. The ratios of neighbours
 * are multiplied outwards from the mode, so that no count is too large.
 */
export function hypergeometric(first: number, second: number, successes: number): Hypergeometric {
  const least = Math.max(0, successes - second);
  const most = Math.min(first, successes);
  const mode = Math.min(most, Math.max(least, Math.floor(((successes + 1) * (first + 1)) / (first + second + 2))));
  const above: number[] = [];
  for (let k = mode, weight = 1; k < most; k += 1) {
    weight *= ((first - k) / (k + 1)) * ((successes - k) / (second - successes + k + 1));
    if (weight === 0) break;
    above.push(weight);
  }
  const below: number[] = [];
  for (let k = mode, weight = 1; k > least; k -= 1) {
    weight *= (k / (first - k + 1)) * ((second - successes + k) / (successes - k + 1));
    if (weight === 0) break;
    below.push(weight);
  }
  const weights = [...below.reverse(), 1, ...above];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { low: mode - below.length, probabilities: weights.map((weight) => weight / total) };
}
