/**
 * Adjusts the p values of several tests, so that among those at most 0.05 no more than 5% are false on average: min over
 * j >= i of p(j) m / j, at most 1 (Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", 1995).
 *
 * @returns the adjusted values, in the order given
 */
export function adjustForFalseDiscovery(ps: readonly number[]): number[] {
  const descending = ps.map((p, index) => ({ p, index })).sort((a, b) => b.p - a.p);
  const adjusted = ps.map(() => 1);
  let smallest = 1;
  for (const [position, { p, index }] of descending.entries()) {
    smallest = Math.min(smallest, p * (ps.length / (ps.length - position)));
    adjusted[index] = smallest;
  }
  return adjusted;
}
