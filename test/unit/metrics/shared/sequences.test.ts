import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignInOrder, editDistance } from '../../../../src/metrics/shared/sequences.ts';

const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 9 });

function align(a: readonly string[], b: readonly string[]) {
  return alignInOrder(a.length, b.length, (i, j) => Number(a[i] === b[j]), 1);
}

function longest(a: readonly string[], b: readonly string[]): number {
  const [[x, ...restA], [y, ...restB]] = [a, b];
  if (x === undefined || y === undefined) return 0;
  return x === y ? 1 + longest(restA, restB) : Math.max(longest(restA, b), longest(a, restB));
}

describe('alignInOrder', () => {
  it('finds a longest common subsequence', () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const pairs = align(a, b);
        expect(pairs).toHaveLength(longest(a, b));
        for (const [index, [i, j]] of pairs.entries()) {
          expect(a[i]).toBe(b[j]);
          const [nextI, nextJ] = pairs[index + 1] ?? [a.length, b.length];
          expect(nextI > i && nextJ > j).toBe(true);
        }
      }),
    );
  });

  it('prefers one heavy pair to several light ones', () => {
    const weights = [
      [1, 5],
      [0, 1],
    ];
    expect(alignInOrder(2, 2, (i, j) => weights[i]?.[j] ?? 0, 5)).toEqual([[0, 1]]);
  });

  it('pairs very long sequences by position after equal prefixes and suffixes', () => {
    const a = ['same', ...Array.from({ length: 3000 }, (_, i) => `${i % 2}`), 'end'];
    const b = ['same', ...Array.from({ length: 3000 }, (_, i) => `${(i + 1) % 2}`), 'end'];
    expect(align(a, b)).toEqual([
      [0, 0],
      [3001, 3001],
    ]);
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 2],
  ])('of "%s" and "%s" is %d', (a, b, expected) => {
    expect(editDistance([...a], [...b])).toBe(expected);
  });

  it('is a metric bounded by the longer length', () => {
    fc.assert(
      fc.property(letters, letters, letters, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });
});
