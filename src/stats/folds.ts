import { shuffled } from './random.ts';

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
