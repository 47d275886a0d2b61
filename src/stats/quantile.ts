/** By linear interpolation between the order statistics. @param sorted ascending, at least one. @param q from 0 to 1. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}
