import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjustForFalseDiscovery } from '../../../src/stats/benjamini-hochberg.ts';
import { reference } from './reference.ts';

describe('adjustForFalseDiscovery', () => {
  it.each(reference.benjaminiHochberg)('agrees with NumPy for $ps', ({ ps, expected }) => {
    const adjusted = adjustForFalseDiscovery(ps);
    expect(adjusted).toHaveLength(expected.length);
    for (const [i, value] of adjusted.entries()) expect(value).toBeCloseTo(expected[i] ?? Number.NaN, 12);
  });

  it('never lowers a p value, keeps their order, and changes nothing for one or none', () => {
    expect(adjustForFalseDiscovery([])).toEqual([]);
    expect(adjustForFalseDiscovery([0.04])).toEqual([0.04]);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (ps) => {
        const adjusted = adjustForFalseDiscovery(ps);
        for (const [i, p] of ps.entries()) {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p);
          expect(adjusted[i]).toBeLessThanOrEqual(1);
          for (const [j, other] of ps.entries())
            if (p < other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
        }
      }),
    );
  });
});
