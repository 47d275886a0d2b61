/** What is ranked: a score, higher for worse, and whether it was one. */
export interface Ranked {
  readonly score: number;
  readonly failed: boolean;
}

/**
 * The probability that a failed one scores higher than one that did not, ties counting half. Null where either kind is
 * missing.
 */
export function auroc(items: readonly Ranked[]): number | null {
  const sorted = [...items].sort((a, b) => a.score - b.score);
  let failed = 0;
  let rankSum = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) end += 1;
    const ofTie = sorted.slice(start, end).filter((item) => item.failed).length;
    failed += ofTie;
    rankSum += (ofTie * (start + end + 1)) / 2;
    start = end;
  }
  const passed = sorted.length - failed;
  return failed === 0 || passed === 0 ? null : (rankSum - (failed * (failed + 1)) / 2) / (failed * passed);
}

/**
 * The same within strata only: a failed one is compared with those of its own stratum, so that telling the strata apart
 * earns nothing. Every pair weighs the same.
 */
export function stratifiedAuroc(items: readonly (Ranked & { readonly stratum: string })[]): number | null {
  let right = 0;
  let pairs = 0;
  for (const stratum of Map.groupBy(items, (item) => item.stratum).values()) {
    const failed = stratum.filter((item) => item.failed).length;
    const ofStratum = failed * (stratum.length - failed);
    right += (auroc(stratum) ?? 0) * ofStratum;
    pairs += ofStratum;
  }
  return pairs === 0 ? null : right / pairs;
}
