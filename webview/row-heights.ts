/**
 * How high the rows of a long list are: measured where they were seen, guessed where not. Offsets are sums over a
 * binary indexed tree, so that one row of a million can change without looking at the others.
 */
export class RowHeights {
  readonly count: number;
  readonly #known: Float64Array;
  /** Of measured rows: sums of heights, and how many. */
  readonly #sums: Float64Array;
  readonly #counts: Int32Array;
  readonly #guess: number;

  /** @param guess the height of a row that was never measured, in pixels. */
  constructor(count: number, guess: number) {
    this.count = count;
    this.#guess = guess;
    this.#known = new Float64Array(count).fill(-1);
    this.#sums = new Float64Array(count + 1);
    this.#counts = new Int32Array(count + 1);
  }

  /** What is not in the list is left alone. @returns whether that is news. */
  set(index: number, height: number): boolean {
    const before = this.#known[index];
    if (before === undefined || before === height) return false;
    this.#known[index] = height;
    const more = before < 0 ? 1 : 0;
    for (let at = index + 1; at <= this.count; at += at & -at) {
      this.#sums[at] = (this.#sums[at] ?? 0) + height - Math.max(0, before);
      this.#counts[at] = (this.#counts[at] ?? 0) + more;
    }
    return true;
  }

  /** Where a row begins; behind the last: where the list ends. */
  offsetOf(index: number): number {
    let sum = 0;
    let measured = 0;
    const end = Math.min(Math.max(index, 0), this.count);
    for (let at = end; at > 0; at -= at & -at) {
      sum += this.#sums[at] ?? 0;
      measured += this.#counts[at] ?? 0;
    }
    return sum + (end - measured) * this.#guess;
  }

  get total(): number {
    return this.offsetOf(this.count);
  }

  /** The row that is at an offset; the first or the last where it is outside. */
  indexAt(offset: number): number {
    let index = 0;
    let left = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const next = index + step;
      if (next > this.count) continue;
      const height = (this.#sums[next] ?? 0) + (step - (this.#counts[next] ?? 0)) * this.#guess;
      if (height > left) continue;
      index = next;
      left -= height;
    }
    return Math.min(index, Math.max(0, this.count - 1));
  }
}

/** Where a number stands among others, which ascend; -1 when it is not there. */
export function binarySearch(keys: readonly number[], key: number): number {
  let [low, high] = [0, keys.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = keys[middle] ?? Number.NaN;
    if (found === key) return middle;
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
