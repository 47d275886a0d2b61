import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded, shuffled } from '../../../../src/metrics/shared/random.ts';
import {
  auroc,
  clusterBootstrap,
  foldsByFamily,
  mean,
  type Ranked,
  stratifiedAuroc,
  wilson,
} from '../../../../src/metrics/shared/statistics.ts';

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

describe('wilson', () => {
  // As R's `prop.test(correct = FALSE)` and `binom::binom.wilson` give them.
  it.each([
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [1, 3, 0.0615, 0.7923],
    [10, 10, 0.7225, 1],
  ])('of %d in %d is %d to %d', (count, of, low, high) => {
    const [from = Number.NaN, to = Number.NaN] = wilson(count, of) ?? [];
    expect(from).toBeCloseTo(low, 4);
    expect(to).toBeCloseTo(high, 4);
  });

  it('is nothing of nothing', () => {
    expect(wilson(0, 0)).toBeNull();
  });
});

describe('clusterBootstrap', () => {
  const share = (some: readonly boolean[]) => some.filter(Boolean).length / some.length;

  it('draws whole clusters: what is the same within them tells less than it seems', () => {
    const apart = Array.from({ length: 40 }, (_, i) => [i % 2 === 0]);
    const together = Array.from({ length: 4 }, (_, i) => Array.from({ length: 10 }, () => i % 2 === 0));
    const width = (clusters: readonly (readonly boolean[])[]) => {
      const [low, high] = clusterBootstrap(clusters, share) ?? [0, 0];
      return high - low;
    };
    expect(width(apart)).toBeCloseTo(0.3, 1);
    expect(width(together)).toBeGreaterThan(0.7);
  });

  it('is the same for the same seed, and leaves out draws without a figure', () => {
    const clusters = [[1], [2], [3]];
    expect(clusterBootstrap(clusters, mean, { seed: 7 })).toEqual(clusterBootstrap(clusters, mean, { seed: 7 }));
    expect(clusterBootstrap(clusters, () => null)).toBeNull();
    expect(clusterBootstrap([[4]], mean)).toEqual([4, 4]);
  });
});

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

describe('foldsByFamily', () => {
  it('never parts a family, and fills the folds alike', () => {
    const families = [...'aaaaaaabbbbccccddeefghij'];
    const folds = foldsByFamily(families, 3);
    const sizes = [0, 1, 2].map((fold) => families.filter((family) => folds.get(family) === fold).length);
    expect(sizes).toEqual([8, 8, 8]);
    expect(foldsByFamily(families, 3, 1)).not.toEqual(folds);
  });
});
