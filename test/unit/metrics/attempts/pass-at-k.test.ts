import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Estimator, passAtK, passPowK, validateQuery } from '../../../../src/metrics/attempts/pass-at-k.ts';

/** All subsets of k of n attempts; the first c attempts are correct. */
function enumerate(n: number, c: number, k: number): { any: number; all: number } {
  let [subsets, any, all] = [0, 0, 0];
  for (let bits = 0; bits < 2 ** n; bits += 1) {
    const chosen = Array.from({ length: n }, (_, i) => i).filter((i) => bits & (1 << i));
    if (chosen.length !== k) continue;
    subsets += 1;
    if (chosen.some((i) => i < c)) any += 1;
    if (chosen.every((i) => i < c)) all += 1;
  }
  return { any: any / subsets, all: all / subsets };
}

const counts = (most: number) =>
  fc.integer({ min: 0, max: most }).chain((n) => fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }) }));
const anyEstimator = fc.constantFrom<Estimator>('plug-in', 'unbiased', 'bayesian');

describe('the unbiased estimator', () => {
  it('equals the share of subsets of k attempts', () => {
    for (let n = 1; n <= 8; n += 1) {
      for (let c = 0; c <= n; c += 1) {
        for (let k = 1; k <= n; k += 1) {
          const { any, all } = enumerate(n, c, k);
          const estimate = passAtK({ n, c, k, estimator: 'unbiased' });
          expect(estimate.passAtK, `pass@${k} of ${c}/${n}`).toBeCloseTo(any, 12);
          expect(estimate.passPowK, `pass^${k} of ${c}/${n}`).toBeCloseTo(all, 12);
        }
      }
    }
  });
});

describe('passAtK', () => {
  it('uses the unbiased estimator when there are enough attempts', () => {
    expect(passAtK({ n: 3, c: 1, k: 3 }).estimator).toBe('unbiased');
    expect(passAtK({ n: 3, c: 1, k: 4 }).estimator).toBe('plug-in');
  });

  it('gives a credible interval beside every estimator, and its own only for bayesian', () => {
    const bayesian = passAtK({ n: 10, c: 7, k: 3, estimator: 'bayesian' });
    expect(bayesian.credible).toEqual({ passAtK: bayesian.passAtKCi, passPowK: bayesian.passPowKCi });
    expect(passAtK({ n: 10, c: 7, k: 3 })).toMatchObject({
      passAtKCi: null,
      passPowKCi: null,
      credible: bayesian.credible,
    });
    const narrow = passAtK({ n: 10, c: 7, k: 3, estimator: 'bayesian', ci: 0.5 });
    expect(narrow.passAtKCi?.[0]).toBeGreaterThan(bayesian.passAtKCi?.[0] ?? 1);
  });

  it('stays between 0 and 1, is the same for k = 1, and diverges as k grows', () => {
    fc.assert(
      fc.property(counts(60), fc.integer({ min: 1, max: 60 }), anyEstimator, ({ n, c }, k, estimator) => {
        fc.pre(estimator !== 'unbiased' || k < n);
        const [one, some, more] = [1, k, k + 1].map((each) =>
          estimator === 'unbiased' && each > n ? null : passAtK({ n, c, k: each, estimator }),
        );
        if (!one || !some || !more) return;
        for (const { passAtK: any, passPowK: all } of [one, some, more]) {
          expect(any).toBeGreaterThanOrEqual(0);
          expect(any).toBeLessThanOrEqual(1);
          expect(all).toBeGreaterThanOrEqual(0);
          expect(all).toBeLessThanOrEqual(any + 1e-12);
        }
        expect(one.passAtK).toBeCloseTo(one.passPowK, 12);
        expect(more.passAtK).toBeGreaterThanOrEqual(some.passAtK - 1e-12);
        expect(more.passPowK).toBeLessThanOrEqual(some.passPowK + 1e-12);
      }),
    );
  });

  it('has its bayesian mean within the interval for common values of k', () => {
    // For a very large k, the mean of a skewed posterior leaves a central interval: correct, but nobody uses such a k.
    fc.assert(
      fc.property(counts(200), fc.integer({ min: 1, max: 5 }), ({ n, c }, k) => {
        const { passAtK: any, passAtKCi, passPowK: all, passPowKCi } = passAtK({ n, c, k, estimator: 'bayesian' });
        const [[anyLow, anyHigh], [allLow, allHigh]] = [passAtKCi ?? [2, 2], passPowKCi ?? [2, 2]];
        expect(anyLow <= any && any <= anyHigh).toBe(true);
        expect(allLow <= all && all <= allHigh).toBe(true);
      }),
    );
  });

  it('handles large numbers', () => {
    expect(passAtK({ n: 1_000_000, c: 500_000, k: 2 }).passPowK).toBeCloseTo(0.25, 5);
    expect(passAtK({ n: 0, c: 0, k: 1_000_000_000, estimator: 'bayesian' }).passPowK).toBeCloseTo(1e-9, 12);
    expect(passAtK({ n: 2, c: 1, k: 1_000_000_000 })).toMatchObject({ passAtK: 1, passPowK: 0 });
  });

  it('gives pass^k on its own', () => {
    expect(passPowK({ n: 4, c: 2, k: 2 })).toBe(passAtK({ n: 4, c: 2, k: 2 }).passPowK);
  });
});

describe('assessment', () => {
  it.each([
    ['Reliable', 100, 99, 3],
    ['Inconsistent', 10, 7, 3],
    ['Needs Improvement', 10, 1, 3],
    ['mixed', 10, 5, 2],
    ['mixed', 10, 8, 2],
  ] as const)('%s: %d attempts, %d correct, k = %d', (expected, n, c, k) => {
    expect(passAtK({ n, c, k }).assessment).toBe(expected);
  });

  it('is absent without attempts', () => {
    expect(passAtK({ n: 0, c: 0, k: 1, estimator: 'plug-in' })).toMatchObject({
      passAtK: 0,
      passPowK: 0,
      assessment: null,
    });
  });
});

describe('hints', () => {
  it('warn about few attempts only beside a plug-in estimate', () => {
    const few = /small sample for a plug-in estimate/;
    expect(passAtK({ n: 29, c: 1, k: 3, estimator: 'plug-in' }).hints.join()).toMatch(few);
    expect(passAtK({ n: 30, c: 1, k: 3, estimator: 'plug-in' }).hints).toEqual([]);
    expect(passAtK({ n: 5, c: 1, k: 3 }).hints).toEqual([]);
  });

  it('advise on k', () => {
    expect(passAtK({ n: 50, c: 1, k: 1 }).hints.join()).toMatch(/single attempt/);
    expect(passAtK({ n: 50, c: 1, k: 10 }).hints.join()).toMatch(/high stakes/);
  });
});

describe('problemWith', () => {
  it.each([
    [{ n: -1, c: 0, k: 1 }, /n is -1/],
    [{ n: 1.5, c: 0, k: 1 }, /n is 1.5/],
    [{ n: 3, c: Number.NaN, k: 1 }, /c is NaN/],
    [{ n: 3, c: 1, k: 0 }, /k is 0/],
    [{ n: 3, c: 1, k: 1, ci: 1 }, /ci is 1/],
    [{ n: 3, c: 5, k: 3 }, /there cannot be more correct attempts/],
    [{ n: 3, c: 5, k: 3, estimator: 'bayesian' }, /there cannot be more correct attempts/],
    [{ n: 3, c: 1, k: 4, estimator: 'unbiased' }, /needs k <= n/],
  ] as const)('%o', (query, expected) => {
    expect(validateQuery(query)).toMatch(expected);
    expect(() => passAtK(query)).toThrow(expected);
  });

  it('finds no problem if there is an estimate', () => {
    expect(validateQuery({ n: 3, c: 5, k: 3, estimator: 'plug-in' })).toBe(null);
    expect(validateQuery({ n: 3, c: 1, k: 4 })).toBe(null);
  });
});
