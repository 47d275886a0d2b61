/** A position in each of two sequences. */
export type IndexPair = readonly [a: number, b: number];

/** With more comparisons than this, items are paired by position: an alignment would take too long. */
const MAX_CELLS = 4_000_000;

/**
 * Pairs positions of two sequences in order so that the sum of weights is greatest; with weight 1 for equal items the
 * pairs are a longest common subsequence. Pairs of weight 0 are left out.
 *
 * @param full the highest weight, which equal items have: equal beginnings and ends are paired without a search.
 */
export function alignInOrder(
  lengthA: number,
  lengthB: number,
  weight: (a: number, b: number) => number,
  full: number,
): IndexPair[] {
  const shorter = Math.min(lengthA, lengthB);
  let head = 0;
  while (head < shorter && weight(head, head) === full) head += 1;
  let tail = 0;
  while (head + tail < shorter && weight(lengthA - 1 - tail, lengthB - 1 - tail) === full) tail += 1;

  const rows = lengthA - head - tail;
  const columns = lengthB - head - tail;
  const middle =
    rows * columns > MAX_CELLS
      ? alignByPosition(Math.min(rows, columns), (a, b) => weight(head + a, head + b))
      : alignBest(rows, columns, (a, b) => weight(head + a, head + b));
  return [
    ...Array.from({ length: head }, (_, index): IndexPair => [index, index]),
    ...middle.map(([a, b]): IndexPair => [head + a, head + b]),
    ...Array.from({ length: tail }, (_, index): IndexPair => [lengthA - tail + index, lengthB - tail + index]),
  ];
}

function alignByPosition(length: number, weight: (a: number, b: number) => number): IndexPair[] {
  return Array.from({ length }, (_, index): IndexPair => [index, index]).filter(([a, b]) => weight(a, b) > 0);
}

function alignBest(rows: number, columns: number, weight: (a: number, b: number) => number): IndexPair[] {
  const width = columns + 1;
  // The best sum for what is left from a position on.
  const best = new Float64Array((rows + 1) * width);
  const rest = (a: number, b: number) => best[a * width + b] ?? 0;
  for (let a = rows - 1; a >= 0; a -= 1) {
    for (let b = columns - 1; b >= 0; b -= 1) {
      best[a * width + b] = Math.max(rest(a + 1, b), rest(a, b + 1), rest(a + 1, b + 1) + weight(a, b));
    }
  }
  const pairs: IndexPair[] = [];
  let [a, b] = [0, 0];
  while (a < rows && b < columns) {
    const worth = weight(a, b);
    if (worth > 0 && rest(a, b) === rest(a + 1, b + 1) + worth) {
      pairs.push([a, b]);
      a += 1;
      b += 1;
    } else if (rest(a, b) === rest(a + 1, b)) a += 1;
    else b += 1;
  }
  return pairs;
}

/** Levenshtein's distance between two lists: how many items to insert, delete or replace. */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, item] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries()) {
      const replaced = (row[j] ?? 0) + (item === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
