import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betaCdf, betaMoment, betaQuantile } from '../../../src/stats/beta.ts';

describe('betaQuantile', () => {
  // scipy.stats.beta.ppf, SciPy 1.17.
  it.each([
    [0.025, 8, 4, 0.39025744042757876],
    [0.975, 8, 4, 0.8907365561809019],
    [0.5, 0.5, 0.5, 0.5],
    [0.05, 1.5, 0.5, 0.22851981380632877],
    [0.025, 1, 1_000_001, 2.5317782346012154e-8],
    [0.975, 71, 31, 0.7810212736959659],
  ])('%d of Beta(%d, %d)', (p, a, b, expected) => {
    expect(betaQuantile(p, a, b) / expected).toBeCloseTo(1, 8);
  });

  it('inverts betaCdf', () => {
    const shape = fc.double({ min: 0.5, max: 500, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), shape, shape, (p, a, b) => {
        expect(betaCdf(betaQuantile(p, a, b), a, b)).toBeCloseTo(p, 6);
        expect(betaQuantile(p, a, b)).toBeCloseTo(1 - betaQuantile(1 - p, b, a), 9);
      }),
    );
  });

  it('stays exact at the ends', () => {
    expect([betaCdf(-1, 2, 3), betaCdf(0, 2, 3), betaCdf(1, 2, 3), betaCdf(2, 2, 3)]).toEqual([0, 0, 1, 1]);
  });
});

describe('betaMoment', () => {
  it('gives the same result by either product', () => {
    const whole = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(whole, whole, whole, (a, b, k) => {
        let product = 1;
        for (let i = 0; i < k; i += 1) product *= (a + i) / (a + b + i);
        expect(betaMoment(a, b, k) / product).toBeCloseTo(1, 9);
      }),
    );
  });
});
