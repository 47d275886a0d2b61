import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assignShards } from '../../../src/runs/shards/assign-shards.ts';
import '../../support/properties.ts';

function sums(work: readonly number[], assigned: readonly number[], shards: number): number[] {
  const all = new Array<number>(shards).fill(0);
  for (const [piece, shard] of assigned.entries()) all[shard - 1] = (all[shard - 1] ?? 0) + (work[piece] ?? 0);
  return all;
}

function imbalance(work: readonly number[], shards: number): number {
  const all = sums(work, assignShards(work, shards), shards);
  return (Math.max(...all) * shards) / all.reduce((sum, value) => sum + value, 0);
}

it.each([1.05, 1.2, 1.5, 2])('divides 100,000 sessions with a tail of exponent %d evenly over 8 parts', (exponent) => {
  // Pareto: the quantiles of the distribution, of which the largest are cut to 0.9 % of the work.
  const tail = Array.from({ length: 100_000 }, (_, at) => ((at + 0.5) / 100_000) ** (-1 / exponent));
  let work = tail;
  for (let round = 0; round < 50; round += 1) {
    const most = 0.009 * work.reduce((sum, value) => sum + value, 0);
    work = work.map((value) => Math.min(value, most));
  }
  expect(Math.max(...work)).toBeLessThan(0.01 * work.reduce((sum, value) => sum + value, 0));
  expect(imbalance(work, 8)).toBeLessThanOrEqual(1.05);
});

it('gives every piece to one part, and is off by no more than the largest piece', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (work, shards) => {
        const assigned = assignShards(work, shards);
        expect(assigned).toHaveLength(work.length);
        expect(assigned.every((shard) => shard >= 1 && shard <= shards)).toBe(true);
        const all = sums(work, assigned, shards);
        expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(Math.max(0, ...work));
        expect(assignShards(work, shards)).toEqual(assigned);
      },
    ),
  );
});
