import { wilsonInterval } from '../attempts/bootstrap.ts';
import { seeded, shuffled } from './random.ts';

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
  return clusterBootstrapAll(clusters, (items) => [figure(items)], { draws, seed })[0] ?? null;
}

/** The same of several figures over the same draws. @returns an interval for each. */
export function clusterBootstrapAll<Item>(
  clusters: readonly (readonly Item[])[],
  figures: (items: readonly Item[]) => readonly (number | null)[],
  { draws = DRAWS, seed = 1 } = {},
): (readonly [low: number, high: number] | null)[] {
  const random = seeded(seed);
  const results = Array.from({ length: draws }, () =>
    figures(clusters.flatMap(() => clusters[Math.floor(random() * clusters.length)] ?? [])),
  );
  return Array.from(results[0] ?? [], (_, index) => {
    const values = results.flatMap((result) => result[index] ?? []).sort((a, b) => a - b);
    return values.length === 0 ? null : [quantile(values, 0.025), quantile(values, 0.975)];
  });
}

/** By linear interpolation between the order statistics. */
function quantile(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * The number of its fold for each family: the largest first, each into the fold with the fewest sessions; those of one
 * size as they come, or by chance.
 */
export function foldsByFamily(families: readonly string[], folds: number, seed?: number): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  const order = seed === undefined ? families : shuffled(families, seed);
  for (const family of order) sizes.set(family, (sizes.get(family) ?? 0) + 1);
  const filled = Array.from({ length: folds }, () => 0);
  const result = new Map<string, number>();
  for (const [family, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
    const fold = filled.indexOf(Math.min(...filled));
    filled[fold] = (filled[fold] ?? 0) + size;
    result.set(family, fold);
  }
  return result;
}
