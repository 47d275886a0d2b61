import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLogistic, type LogisticTerm } from '../../../src/stats/logistic.ts';

const WIDE = 1000;

interface Example {
  readonly features: readonly number[];
  readonly failed: boolean;
}

function examples(
  ...rows: readonly (readonly [features: readonly number[], passed: number, failed: number])[]
): Example[] {
  return rows.flatMap(([features, passed, failed]) => [
    ...Array.from({ length: passed }, () => ({ features, failed: false })),
    ...Array.from({ length: failed }, () => ({ features, failed: true })),
  ]);
}

/** An intercept without a prior, and a coefficient for each feature that is not negative. */
function fitColumns(data: readonly Example[], priors: readonly number[], sd: number, offset = 0): readonly number[] {
  const column = (pick: (example: Example) => number) => data.map((example, row) => [row, pick(example)] as const);
  const intercept: LogisticTerm = {
    values: column(() => 1),
    prior: 0,
    sd: Number.POSITIVE_INFINITY,
    lowest: Number.NEGATIVE_INFINITY,
  };
  const terms = priors.map(
    (prior, i): LogisticTerm => ({ values: column(({ features }) => features[i] ?? 0), prior, sd, lowest: 0 }),
  );
  return fitLogistic(
    data.map(({ failed }) => failed),
    data.map(() => offset),
    [intercept, ...terms],
  );
}

describe('fitLogistic', () => {
  it('finds the log-odds of a two-by-two table where the prior is wide', () => {
    const [intercept, weight = 0] = fitColumns(examples([[0], 30, 10], [[1], 10, 20]), [0], WIDE);
    expect(intercept).toBeCloseTo(Math.log(10 / 30), 4);
    expect(weight).toBeCloseTo(Math.log(20 / 10) - Math.log(10 / 30), 4);
  });

  it('keeps at 0 a coefficient that would be lower, and fits the rest without it', () => {
    const [intercept, weight] = fitColumns(examples([[0], 10, 20], [[1], 20, 10]), [0], WIDE);
    expect(weight).toBe(0);
    expect(intercept).toBeCloseTo(0, 5);
  });

  it('leaves coefficients without data at the prior, and moves others as far as the data supports', () => {
    const [, first, second] = fitColumns(examples([[0, 0], 20, 20], [[1, 0], 5, 5]), [2, 3], 0.5);
    expect(second).toBe(3);
    expect(first).toBeGreaterThan(0.2);
    expect(first).toBeLessThan(2);
  });

  it('takes the offset for granted', () => {
    expect(fitColumns(examples([[1], 10, 30]), [0], 0.1, Math.log(3))[0]).toBeCloseTo(0, 1);
  });

  it('fits nothing to no examples', () => {
    expect(fitColumns([], [0.7], 0.5)).toEqual([0, 0.7]);
  });

  it('is at the lowest point: no step from it is better', () => {
    const row = fc.record({
      features: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
      failed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 4, maxLength: 25 }), (some) => {
        const data = [...some, { features: [0, 0], failed: true }, { features: [0, 0], failed: false }];
        const sd = 0.5;
        const loss = ([b = 0, v = 0, w = 0]: readonly number[]) =>
          data.reduce((sum, { features: [x = 0, y = 0], failed }) => {
            const z = b + v * x + w * y;
            return sum + Math.log1p(Math.exp(failed ? -z : z));
          }, 0) +
          (v ** 2 + (w - 0.7) ** 2) / (2 * sd ** 2);
        const fitted = fitColumns(data, [0, 0.7], sd);
        const best = loss(fitted);
        for (const i of fitted.keys()) {
          for (const step of [-0.01, 0.01]) {
            const moved = fitted.map((value, j) => (j === i ? value + step : value));
            if (i === 0 || (moved[i] ?? 0) >= 0) expect(loss(moved)).toBeGreaterThanOrEqual(best - 1e-9);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
