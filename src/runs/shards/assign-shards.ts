/**
 * Divides work into shares of about the same size: the largest piece first, each to the share that has least so far. The same
 * on every machine.
 *
 * @param work of each piece, not negative. @returns the share of each piece, from 1
 */
export function assignShards(work: readonly number[], shards: number): number[] {
  const sums = new Float64Array(shards);
  const assigned = new Array<number>(work.length).fill(1);
  const order = work.map((_, piece) => piece).sort((a, b) => (work[b] ?? 0) - (work[a] ?? 0) || a - b);
  for (const piece of order) {
    let least = 0;
    for (let shard = 1; shard < shards; shard += 1) if ((sums[shard] ?? 0) < (sums[least] ?? 0)) least = shard;
    sums[least] = (sums[least] ?? 0) + (work[piece] ?? 0);
    assigned[piece] = least + 1;
  }
  return assigned;
}
