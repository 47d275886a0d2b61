import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cohensKappa,
  exactAgreement,
  meanAbsoluteDifference,
  type Pair,
  ranks,
  spearman,
} from '../../bench/judge/statistics.ts';

const zip = <Value>(first: readonly Value[], second: readonly Value[]): Pair<Value>[] =>
  first.flatMap((one, at) => second.slice(at, at + 1).map((other): Pair<Value> => [one, other]));

describe('spearman', () => {
  it('is that of the example of Wikipedia, "Spearman’s rank correlation coefficient": -29/165', () => {
    const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
    const hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17];
    expect(spearman(zip(iq, hours))).toBeCloseTo(-29 / 165, 12);
  });

  it('gives what is equal the mean of its ranks', () => {
    expect(ranks([10, 20, 20, 5, 20])).toEqual([2, 4, 4, 1, 4]);
    // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
    expect(spearman(zip([1, 2, 2, 3], [1, 2, 3, 4]))).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
  });

  it('is 1 or -1 for an order and its reverse at any distances, and undefined if one side does not vary', () => {
    expect(spearman(zip([1, 2, 30], [4, 50, 51]))).toBeCloseTo(1, 12);
    expect(spearman(zip([1, 2, 30], [51, 50, 4]))).toBeCloseTo(-1, 12);
    expect(spearman(zip([1, 2, 3], [4, 4, 4]))).toBeNull();
    expect(spearman([])).toBeNull();
  });

  it('stays between -1 and 1, and takes both sides alike', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })));
    fc.assert(
      fc.property(pairs, (input) => {
        const rho = spearman(input);
        if (rho === null) return;
        expect(Math.abs(rho)).toBeLessThanOrEqual(1 + 1e-12);
        expect(spearman(input.map(([a, b]) => [b, a]))).toBeCloseTo(rho, 12);
      }),
    );
  });
});

describe('cohensKappa', () => {
  const times = (count: number, ...pair: Pair<string>): Pair<string>[] => Array.from({ length: count }, () => pair);

  it('is that of the example of Wikipedia, "Cohen’s kappa": 0.4', () => {
    const grants = [
      ...times(20, 'yes', 'yes'),
      ...times(5, 'yes', 'no'),
      ...times(10, 'no', 'yes'),
      ...times(15, 'no', 'no'),
    ];
    expect(cohensKappa(grants)).toBeCloseTo(0.4, 12);
  });

  it('is 1 for the same labels, below 0 for worse than chance, and nothing where there is but one label', () => {
    expect(cohensKappa(zip(['a', 'b', 'c'], ['a', 'b', 'c']))).toBeCloseTo(1, 12);
    expect(cohensKappa(zip(['a', 'b'], ['b', 'a']))).toBeCloseTo(-1, 12);
    expect(cohensKappa(zip(['a', 'a'], ['a', 'a']))).toBeNull();
    expect(cohensKappa([])).toBeNull();
  });
});

describe('agreement of scores', () => {
  it('is the share of equal ones, and the mean of what they differ by', () => {
    const pairs = zip([5, 4, 2, 0.1 + 0.2], [5, 3, 4, 0.3]);
    expect(exactAgreement(pairs)).toBe(0.5);
    expect(meanAbsoluteDifference(pairs)).toBeCloseTo(0.75, 12);
    expect([exactAgreement([]), meanAbsoluteDifference([])]).toEqual([null, null]);
  });
});
