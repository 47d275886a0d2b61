import { mean } from '../../../src/stats/bootstrap.ts';

/** What two raters said of the same thing. */
export type Pair<Value> = readonly [first: Value, second: Value];

/** Scores that differ by less are the same: the last bits of a mean. */
const SAME = 1e-9;

/** The share of pairs whose scores are the same. Null of nothing. */
export function exactAgreement(pairs: readonly Pair<number>[]): number | null {
  return mean(pairs.map(([a, b]) => (Math.abs(a - b) < SAME ? 1 : 0)));
}

/** In the units of the scores. Null of nothing. */
export function meanAbsoluteDifference(pairs: readonly Pair<number>[]): number | null {
  return mean(pairs.map(([a, b]) => Math.abs(a - b)));
}

/**
 * Spearman's rank correlation, from -1 to 1: Pearson's of the ranks, where what is equal shares the mean of its ranks
 * (C. Spearman, The proof and measurement of association between two things, 1904). Null where one side does not vary.
 */
export function spearman(pairs: readonly Pair<number>[]): number | null {
  return pearson(ranks(pairs.map(([a]) => a)), ranks(pairs.map(([, b]) => b)));
}

/** From 1; what is equal has the mean of the ranks that it takes. */
export function ranks(values: readonly number[]): number[] {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const result = values.map(() => 0);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && order[end]?.value === order[start]?.value) end += 1;
    for (const { at } of order.slice(start, end)) result[at] = (start + 1 + end) / 2;
    start = end;
  }
  return result;
}

function pearson(xs: readonly number[], ys: readonly number[]): number | null {
  const [meanX, meanY] = [mean(xs) ?? 0, mean(ys) ?? 0];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [i, x] of xs.entries()) {
    const [dx, dy] = [x - meanX, (ys[i] ?? 0) - meanY];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx === 0 || yy === 0 ? null : xy / Math.sqrt(xx * yy);
}

/**
 * Cohen's kappa, unweighted: (observed - expected agreement) / (1 - expected), where by chance each rater spreads labels
 * as he does over all (J. Cohen, A coefficient of agreement for nominal scales, 1960). Null of nothing, and where both
 * always say one and the same: then chance explains all of it.
 */
export function cohensKappa(pairs: readonly Pair<string>[]): number | null {
  const shares = (side: 0 | 1) => {
    const counts = Map.groupBy(pairs, (pair) => pair[side]);
    return (label: string) => (counts.get(label)?.length ?? 0) / pairs.length;
  };
  const observed = mean(pairs.map(([a, b]) => (a === b ? 1 : 0)));
  if (observed === null) return null;
  const [first, second] = [shares(0), shares(1)];
  const expected = [...new Set(pairs.flat())].reduce((sum, label) => sum + first(label) * second(label), 0);
  return 1 - expected < SAME ? null : (observed - expected) / (1 - expected);
}
