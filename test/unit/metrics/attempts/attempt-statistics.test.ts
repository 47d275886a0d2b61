import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptStatistics } from '../../../../src/metrics/attempts/attempt-statistics.ts';

describe('attemptStatistics', () => {
  it('gives the standard deviation of attempts and the confidence interval of the mean', () => {
    // 2.5 -+ t(0.975, 3) x s / 2, by SciPy.
    expect(attemptStatistics([1, 2, 3, 4])).toEqual({
      n: 4,
      scores: [1, 2, 3, 4],
      mean: 2.5,
      standardDeviation: Math.sqrt(1.25),
      spreadOfSingleRuns: [2.5 - 1.96 * Math.sqrt(1.25), 2.5 + 1.96 * Math.sqrt(1.25)],
      meanInterval: [expect.closeTo(0.44573974, 7), expect.closeTo(4.55426026, 7)],
    });
  });

  it('gives no interval of the mean for one attempt and nothing for none', () => {
    expect(attemptStatistics([0.5])).toMatchObject({ mean: 0.5, spreadOfSingleRuns: [0.5, 0.5], meanInterval: null });
    expect(attemptStatistics([])).toBe(null);
  });

  it('contains the mean and does not depend on the order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 2, maxLength: 40 }), (scores) => {
        const [forth, back] = [attemptStatistics(scores), attemptStatistics(scores.toReversed())];
        const [low, high] = forth?.meanInterval ?? [1, 0];
        expect(low).toBeLessThanOrEqual(forth?.mean ?? Number.NaN);
        expect(high).toBeGreaterThanOrEqual(forth?.mean ?? Number.NaN);
        expect(back?.mean).toBeCloseTo(forth?.mean ?? Number.NaN, 12);
        expect(back?.standardDeviation).toBeCloseTo(forth?.standardDeviation ?? Number.NaN, 12);
      }),
    );
  });
});
