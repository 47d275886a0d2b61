import { wilsonInterval } from '../../../src/metrics/attempts/bootstrap.ts';
/** A generator of numbers in [0, 1) that gives the same ones for the same seed: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random order, the same for the same seed: Fisher and Yates. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = seeded(seed);
  const order = [...items];
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    order.splice(i, 1, ...order.splice(j, 1, ...order.slice(i, i + 1)));
  }
  return order;
}

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

/** Wilson's 95 % score interval of a share. Null of nothing. */
export function wilson(count: number, of: number): readonly [low: number, high: number] | null {
  return of === 0 ? null : wilsonInterval(count / of, of);
}

/** The mean of what is not null; null of nothing. */
export function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

export const DRAWS = 1000;

/**
 * A 95 % percentile interval of a figure over resampled clusters: sessions of one task are no independent evidence, so
 * whole tasks are drawn, with replacement. Draws without a figure are left out.
 */
export function clusterBootstrap<Item>(
  clusters: readonly (readonly Item[])[],
  figure: (items: readonly Item[]) => number | null,
  { draws = DRAWS, seed = 1 } = {},
): readonly [low: number, high: number] | null {
  const random = seeded(seed);
  const figures: number[] = [];
  for (let draw = 0; draw < draws; draw += 1) {
    const result = figure(clusters.flatMap(() => clusters[Math.floor(random() * clusters.length)] ?? []));
    if (result !== null) figures.push(result);
  }
  if (figures.length === 0) return null;
  figures.sort((a, b) => a - b);
  return [quantile(figures, 0.025), quantile(figures, 0.975)];
}

/** By linear interpolation between the order statistics. */
function quantile(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}
