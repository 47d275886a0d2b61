import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optimalAssignment } from '../../../../src/metrics/shared/assignment.ts';

type Weights = readonly (readonly number[])[];

const sumOf = (weights: Weights, columns: readonly (number | null)[]) =>
  columns.reduce<number>((sum, column, row) => sum + (column === null ? 0 : (weights[row]?.[column] ?? 0)), 0);

/** The first best free column for each row. */
function greedy(weights: Weights): (number | null)[] {
  const taken = new Set<number>();
  return weights.map((row) => {
    const free = [...row.keys()].filter((column) => !taken.has(column));
    const best = free.toSorted((a, b) => (row[b] ?? 0) - (row[a] ?? 0))[0];
    if (best === undefined) return null;
    taken.add(best);
    return best;
  });
}

function bruteForce(weights: Weights, row = 0, taken: ReadonlySet<number> = new Set()): number {
  const weightsOfRow = weights[row];
  if (!weightsOfRow) return 0;
  const free = [...weightsOfRow.keys()].filter((column) => !taken.has(column));
  const skipped = weights.length > weightsOfRow.length || free.length === 0 ? bruteForce(weights, row + 1, taken) : 0;
  return Math.max(
    skipped,
    ...free.map((column) => (weightsOfRow[column] ?? 0) + bruteForce(weights, row + 1, new Set([...taken, column]))),
  );
}

const matrix = (most: number) =>
  fc.tuple(fc.integer({ min: 1, max: most }), fc.integer({ min: 1, max: most })).chain(([rows, columns]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  );

describe('optimalAssignment', () => {
  it.each<[string, Weights, (number | null)[]]>([
    ['nothing', [], []],
    ['rows without columns', [[], []], [null, null]],
    [
      'an input where greedy choice loses',
      [
        [3, 2],
        [2, 0],
      ],
      [1, 0],
    ],
    ['more rows than columns', [[1], [5], [2]], [null, 0, null]],
    ['more columns than rows', [[1, 5, 2]], [1]],
  ])('%s', (_, weights, expected) => {
    expect(optimalAssignment(weights)).toEqual(expected);
  });

  it('equals the brute-force optimum, with as many pairs as possible and each column once', () => {
    fc.assert(
      fc.property(matrix(5), (weights) => {
        const columns = optimalAssignment(weights);
        const used = columns.filter((column) => column !== null);
        expect(sumOf(weights, columns)).toBe(bruteForce(weights));
        expect(used).toHaveLength(Math.min(weights.length, weights[0]?.length ?? 0));
        expect(new Set(used).size).toBe(used.length);
      }),
    );
  });

  it('is never worse than a greedy assignment', () => {
    fc.assert(
      fc.property(matrix(25), (weights) => {
        expect(sumOf(weights, optimalAssignment(weights))).toBeGreaterThanOrEqual(sumOf(weights, greedy(weights)));
      }),
    );
  });
});
