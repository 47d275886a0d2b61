import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findChangePoint, type Stratum } from '../../../src/stats/change-point.ts';
import { seeded } from '../../../src/stats/random.ts';
import { reference } from './reference.ts';

/** Tasks with a value in every run: 1 with the probability that the run has. */
function tasks(count: number, probabilities: readonly number[], seed: number): Stratum[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => ({
    values: probabilities.map((probability) => (random() < probability ? 1 : 0)),
    runs: probabilities.map((_, run) => run),
  }));
}

describe('a change point', () => {
  test('is found where values drop for good', () => {
    const change = findChangePoint(tasks(60, [0.9, 0.9, 0.9, 0.9, 0.5, 0.5, 0.5], 1), 7);
    expect(change).toMatchObject({ at: 4, rises: false });
    expect(change?.p).toBeLessThan(0.01);
  });

  test('of two runs has the p of all ways to exchange their values', () => {
    // 6 tasks that all fell: of the 64 ways to exchange two values of each task, 2 are as extreme.
    const fallen = Array.from({ length: 6 }, () => ({ values: [1, 0], runs: [0, 1] }));
    const change = findChangePoint(fallen, 2);
    expect(change?.rises).toBe(false);
    expect(change?.p).toBeCloseTo(2 / 64, 1);
  });

  test('is not made by tasks that differ when a run has other numbers of their attempts', () => {
    const easy: Stratum = { values: [1, 1, 1, 1, 1, 1, 1, 1], runs: [0, 0, 0, 0, 0, 0, 0, 1] };
    const hard: Stratum = { values: [0, 0, 0, 0, 0, 0, 0, 0], runs: [0, 1, 1, 1, 1, 1, 1, 1] };
    expect(findChangePoint([easy, hard], 2)).toBeNull();
  });

  test.each(reference.changePoint)('has the p that NumPy finds by all orders: $p', ({ runs, strata, at, p }) => {
    const change = findChangePoint(strata, runs);
    expect(change?.at).toBe(at);
    // Few draws settle that a large p is large.
    expect(Math.abs((change?.p ?? Number.NaN) - p)).toBeLessThan(p > 0.1 ? 0.1 : 0.02);
  });

  test('is null where nothing varies, and with a single run', () => {
    expect(findChangePoint([], 5)).toBeNull();
    expect(findChangePoint([{ values: [0.5, 0.5, 0.5], runs: [0, 1, 2] }], 3)).toBeNull();
    expect(findChangePoint([{ values: [0, 1], runs: [0, 0] }], 1)).toBeNull();
  });

  test('is looked for at the given positions only', () => {
    const strata = tasks(60, [0.9, 0.9, 0.9, 0.9, 0.3, 0.3, 0.3], 1);
    expect(findChangePoint(strata, 7, { positions: [2] })?.at).toBe(2);
  });

  test('is found in at most 5 % of unchanged series, whatever their length', () => {
    for (const runs of [2, 5, 12]) {
      const found = Array.from({ length: 300 }, (_, seed) =>
        findChangePoint(tasks(15, new Array<number>(runs).fill(0.7), seed + 1), runs),
      ).filter((change) => change !== null && change.p <= 0.05);
      // 5 % of 300, and twice the standard deviation.
      expect(found.length).toBeLessThanOrEqual(15 + 8);
    }
  });

  test('does not depend on the unit of the values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 4, maxLength: 4 }), {
          minLength: 2,
          maxLength: 6,
        }),
        fc.integer({ min: -5, max: 5 }),
        (rows, shift) => {
          const strata = rows.map((values) => ({ values, runs: [0, 1, 2, 3] }));
          const scaled = strata.map(({ values, runs }) => ({ values: values.map((value) => 8 * value + shift), runs }));
          expect(findChangePoint(scaled, 4)).toEqual(findChangePoint(strata, 4));
        },
      ),
      { numRuns: 30 },
    );
  });
});
