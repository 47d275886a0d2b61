import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapMeanDifference } from '../../../src/stats/paired-bootstrap.ts';
import { reference } from './reference.ts';

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('bootstrapMeanDifference', () => {
  it.each(reference.bootstrap)(
    'is near the interval of NumPy for $differences.length tasks',
    ({ differences, expected }) => {
      const interval = bootstrapMeanDifference(differences) ?? [Number.NaN, Number.NaN];
      const width = expected[1] - expected[0];
      expect(Math.abs(interval[0] - expected[0])).toBeLessThan(0.06 * width);
      expect(Math.abs(interval[1] - expected[1])).toBeLessThan(0.06 * width);
    },
  );

  it('knows nothing of one task, and has no width where all are equal', () => {
    expect(bootstrapMeanDifference([])).toBeNull();
    expect(bootstrapMeanDifference([0.5])).toBeNull();
    expect(bootstrapMeanDifference([0.25, 0.25, 0.25])).toEqual([0.25, 0.25]);
    expect(bootstrapMeanDifference(Array.from({ length: 1500 }, () => 0))).toEqual([0, 0]);
  });

  it('is the same every time, contains the mean, and stays between the smallest and the largest difference', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 2, maxLength: 30 }), (values) => {
        const [low, high] = bootstrapMeanDifference(values) ?? [1, 0];
        expect([low, high]).toEqual(bootstrapMeanDifference(values));
        expect(low).toBeLessThanOrEqual(mean(values) + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean(values) - 1e-12);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
      }),
      { numRuns: 50 },
    );
  });

  it('is as wide above 1,000 tasks as the same differences make it just below', () => {
    const differences = Array.from({ length: 1001 }, (_, i) => ((i * 7919) % 13) / 13 - 0.4 + (i % 50 === 1 ? 3 : 0));
    const [below, above] = [bootstrapMeanDifference(differences.slice(0, 1000)), bootstrapMeanDifference(differences)];
    expect(above?.[0]).toBeCloseTo(below?.[0] ?? Number.NaN, 2);
    expect(above?.[1]).toBeCloseTo(below?.[1] ?? Number.NaN, 2);
  });
});
