import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean } from '../../../src/stats/bootstrap.ts';
import { seeded, shuffled } from '../../../src/stats/random.ts';

describe('seeded', () => {
  it('gives the same numbers for the same seed, spread over [0, 1)', () => {
    const take = (seed: number) => {
      const next = seeded(seed);
      return Array.from({ length: 1000 }, next);
    };
    expect(take(1)).toEqual(take(1));
    expect(take(1)).not.toEqual(take(2));
    expect(Math.min(...take(3))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...take(3))).toBeLessThan(1);
    expect(mean(take(3))).toBeCloseTo(0.5, 1);
  });

  it('shuffles without losing anything', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (some, seed) => {
        const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b);
        expect(sorted(shuffled(some, seed))).toEqual(sorted(some));
      }),
    );
    expect(shuffled([1, 2, 3, 4, 5, 6, 7, 8], 1)).not.toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
