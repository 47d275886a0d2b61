import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signFlipTest } from '../../../src/stats/sign-flip.ts';
import { reference } from './reference.ts';

describe('signFlipTest', () => {
  it.each(reference.signFlip.exact)(
    'is exact for $differences.length differences, as SciPy',
    ({ differences, expected }) => {
      expect(signFlipTest(differences)).toBeCloseTo(expected, 12);
    },
  );

  it.each(reference.signFlip.many)('of $differences.length differences is near 40,000 flips of NumPy', (row) => {
    expect(Math.abs(signFlipTest(row.differences) - row.expected)).toBeLessThan(0.01);
  });

  it('does not jump where the normal distribution takes over', () => {
    const differences = Array.from({ length: 1001 }, (_, i) => (i % 40 === 3 ? 1 : i % 50 === 1 ? -1 : 0.01));
    const fewer = signFlipTest(differences.slice(0, 1000));
    expect(fewer).toBeGreaterThan(0.01);
    expect(fewer).toBeLessThan(0.9);
    expect(Math.abs(signFlipTest(differences) - fewer)).toBeLessThan(0.03);
  });

  it('is 1 where nothing differs', () => {
    expect(signFlipTest([])).toBe(1);
    expect(signFlipTest([0, 0, 0])).toBe(1);
  });

  it('does not depend on the unit or the direction of the differences', () => {
    const difference = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(fc.array(difference, { minLength: 1, maxLength: 12 }), (differences) => {
        const p = signFlipTest(differences);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(signFlipTest(differences.map((value) => value * -0.07))).toBeCloseTo(p, 12);
      }),
    );
  });
});
