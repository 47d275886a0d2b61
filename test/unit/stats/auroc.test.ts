import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auroc, type Ranked, stratifiedAuroc } from '../../../src/stats/auroc.ts';

const ranked = fc.array(fc.record({ score: fc.integer({ min: 0, max: 5 }), failed: fc.boolean() }), { maxLength: 30 });

function items(failed: readonly number[], passed: readonly number[]): Ranked[] {
  return [...failed.map((score) => ({ score, failed: true })), ...passed.map((score) => ({ score, failed: false }))];
}

describe('auroc', () => {
  it.each([
    [[2, 3], [0, 1], 1],
    [[0, 1], [2, 3], 0],
    [[1, 1], [1, 1], 0.5],
    // Six pairs: 2 is above 1, level with 2 and below 3; 4 is above all.
    [[2, 4], [1, 2, 3], 4.5 / 6],
  ])('of failed %j against passed %j is %d', (failed, passed, expected) => {
    expect(auroc(items(failed, passed))).toBeCloseTo(expected, 12);
  });

  it('is nothing where all failed, or none', () => {
    expect(auroc([])).toBeNull();
    expect(auroc(items([1, 2], []))).toBeNull();
    expect(auroc(items([], [1, 2]))).toBeNull();
  });

  it('is the share of pairs in order, ties half', () => {
    fc.assert(
      fc.property(ranked, (some) => {
        const pairs = some.flatMap((a) => some.map((b) => [a, b] as const)).filter(([a, b]) => a.failed && !b.failed);
        const right = pairs.reduce((sum, [a, b]) => sum + (a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0), 0);
        if (pairs.length === 0) expect(auroc(some)).toBeNull();
        else expect(auroc(some)).toBeCloseTo(right / pairs.length, 12);
      }),
    );
  });
});

describe('stratifiedAuroc', () => {
  const stratum = (name: string, some: readonly Ranked[]) => some.map((item) => ({ ...item, stratum: name }));

  it('earns nothing from telling the strata apart', () => {
    const some = [...stratum('hard', items([5, 5], [5])), ...stratum('easy', items([1], [1, 1]))];
    expect(auroc(some)).toBeGreaterThan(0.6);
    expect(stratifiedAuroc(some)).toBe(0.5);
  });

  it('weighs every pair the same, and passes over strata without a pair', () => {
    const some = [
      ...stratum('a', items([2], [1])),
      ...stratum('b', items([0], [1, 1, 1])),
      ...stratum('c', items([9, 9], [])),
    ];
    expect(stratifiedAuroc(some)).toBe(1 / 4);
    expect(stratifiedAuroc(stratum('c', items([9], [])))).toBeNull();
  });
});
