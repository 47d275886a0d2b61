/**
 * Row heights of a long list, in pixels: measured, or estimated for rows that were never rendered. Offsets are sums over
 * a binary indexed tree, so that updating one row of a million is fast.
 */
export class RowHeights {
  readonly count: number;
  readonly #measured: Float64Array;
  /** Binary indexed trees over measured rows: sums of heights, and counts. */
  readonly #sums: Float64Array;
  readonly #counts: Int32Array;
  readonly #estimate: number;

  /** @param estimate the height of a row that was never measured, in pixels. */
  constructor(count: number, estimate: number) {
    this.count = count;
    this.#estimate = estimate;
    this.#measured = new Float64Array(count).fill(-1);
    this.#sums = new Float64Array(count + 1);
    this.#counts = new Int32Array(count + 1);
  }

  /** Sets a measured height; ignores an index out of range. @returns whether the height changed. */
  set(index: number, height: number): boolean {
    const before = this.#measured[index];
    if (before === undefined || before === height) return false;
    this.#measured[index] = height;
    const more = before < 0 ? 1 : 0;
    for (let at = index + 1; at <= this.count; at += at & -at) {
      this.#sums[at] = (this.#sums[at] ?? 0) + height - Math.max(0, before);
      this.#counts[at] = (this.#counts[at] ?? 0) + more;
    }
    return true;
  }

  /** The offset of a row; of the end of the list for an index past the last row. */
  offsetOf(index: number): number {
    let sum = 0;
    let measured = 0;
    const end = Math.min(Math.max(index, 0), this.count);
    for (let at = end; at > 0; at -= at & -at) {
      sum += this.#sums[at] ?? 0;
      measured += this.#counts[at] ?? 0;
    }
    return sum + (end - measured) * this.#estimate;
  }

  get total(): number {
    return this.offsetOf(this.count);
  }

  /** The row at an offset, clamped to the first and last row. */
  indexAt(offset: number): number {
    let index = 0;
    let left = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const next = index + step;
      if (next > this.count) continue;
      const height = (this.#sums[next] ?? 0) + (step - (this.#counts[next] ?? 0)) * this.#estimate;
      if (height > left) continue;
      index = next;
      left -= height;
    }
    return Math.min(index, Math.max(0, this.count - 1));
  }
}

/** The index of a number in an ascending list, or -1. */
export function binarySearch(keys: readonly number[], key: number): number {
  let [low, high] = [0, keys.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = keys[middle] ?? Number.NaN;
    if (candidate === key) return middle;
    if (candidate < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
