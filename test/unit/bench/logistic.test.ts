import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Example, fitLogistic } from '../../bench/validity/logistic.ts';

function examples(
  ...rows: readonly (readonly [features: readonly number[], passed: number, failed: number])[]
): Example[] {
  return rows.flatMap(([features, passed, failed]) => [
    ...Array.from({ length: passed }, () => ({ features, offset: 0, failed: false })),
    ...Array.from({ length: failed }, () => ({ features, offset: 0, failed: true })),
  ]);
}

const WIDE = 1000;

describe('fitLogistic', () => {
  it('finds the log-odds of a two-by-two table where the prior is wide', () => {
    const { intercept, weights } = fitLogistic(examples([[0], 30, 10], [[1], 10, 20]), [0], WIDE);
    expect(intercept).toBeCloseTo(Math.log(10 / 30), 5);
    expect(weights[0]).toBeCloseTo(Math.log(20 / 10) - Math.log(10 / 30), 5);
  });

  it('keeps at 0 what would lower the risk, and fits the rest without it', () => {
    const { intercept, weights } = fitLogistic(examples([[0], 10, 20], [[1], 20, 10]), [0], WIDE);
    expect(weights).toEqual([0]);
    expect(intercept).toBeCloseTo(0, 6);
  });

  it('leaves weights without data at the prior, and moves others as far as the data supports', () => {
    const data = examples([[0, 0], 20, 20], [[1, 0], 5, 5]);
    const { weights } = fitLogistic(data, [2, 3], 0.5);
    expect(weights[1]).toBe(3);
    expect(weights[0]).toBeGreaterThan(0.2);
    expect(weights[0]).toBeLessThan(2);
  });

  it('takes the offset for granted', () => {
    const data = examples([[1], 10, 30]).map((example) => ({ ...example, offset: Math.log(3) }));
    expect(fitLogistic(data, [0], 0.1).intercept).toBeCloseTo(0, 1);
  });

  it('is at the lowest point: no step from it is better', () => {
    const row = fc.record({
      features: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
      offset: fc.constant(0),
      failed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 4, maxLength: 25 }), (some) => {
        const priors = [0, 0.7];
        const sd = 0.5;
        const data = [
          ...some,
          { features: [0, 0], offset: 0, failed: true },
          { features: [0, 0], offset: 0, failed: false },
        ];
        const { intercept, weights } = fitLogistic(data, priors, sd);
        const loss = (b: number, [v = 0, w = 0]: readonly number[]) =>
          data.reduce((sum, { features: [x = 0, y = 0], failed }) => {
            const z = b + v * x + w * y;
            return sum + Math.log1p(Math.exp(failed ? -z : z));
          }, 0) +
          (v ** 2 + (w - 0.7) ** 2) / (2 * sd ** 2);
        const best = loss(intercept, weights);
        const [v = 0, w = 0] = weights;
        for (const step of [-0.01, 0.01]) {
          expect(loss(intercept + step, weights)).toBeGreaterThanOrEqual(best - 1e-9);
          if (v + step >= 0) expect(loss(intercept, [v + step, w])).toBeGreaterThanOrEqual(best - 1e-9);
          if (w + step >= 0) expect(loss(intercept, [v, w + step])).toBeGreaterThanOrEqual(best - 1e-9);
        }
      }),
      { numRuns: 50 },
    );
  });
});
