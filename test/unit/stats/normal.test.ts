import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalCdf, normalQuantile } from '../../../src/stats/normal.ts';
import { reference, relativeError } from './reference.ts';

describe('normalCdf', () => {
  it.each(reference.normal.cdf)('agrees with SciPy at $z', ({ z, expected }) => {
    expect(relativeError(normalCdf(z), expected)).toBeLessThan(1e-12);
  });
});

describe('normalQuantile', () => {
  it.each(reference.normal.quantile)('agrees with SciPy at $p', ({ p, expected }) => {
    expect(normalQuantile(p)).toBeCloseTo(expected, 9);
  });

  it('is the inverse, and infinite at the ends', () => {
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
    fc.assert(
      fc.property(fc.double({ min: 1e-10, max: 1 - 1e-10, noNaN: true }), (p) => {
        expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 12);
      }),
    );
  });
});
