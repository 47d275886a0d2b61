import { type Interval, wilsonInterval } from './intervals.ts';
import { quantile } from './quantile.ts';
import { seeded } from './random.ts';

const RESAMPLES = 1000;
const SEED = 0x2545f491;

/**
 * 95% percentile intervals of the means of several columns over the rows, by drawing rows with replacement. The seed is fixed,
 * so that a report does not change from run to run. Rows that are all equal say nothing of the spread of others: there it is
 * Wilson's interval, with a row as a trial.
 *
 * @param rows at least one, all of the same length, of values from 0 to 1.
 */
export function bootstrapMeans(rows: readonly (readonly number[])[]): Interval[] {
  const columns = rows[0]?.length ?? 0;
  const means = Array.from({ length: columns }, () => new Float64Array(RESAMPLES));
  const random = seeded(SEED);
  for (let sample = 0; sample < RESAMPLES; sample += 1) {
    const sums = new Float64Array(columns);
    for (let draw = 0; draw < rows.length; draw += 1) {
      const row = rows[Math.floor(random() * rows.length)] ?? [];
      for (let column = 0; column < columns; column += 1) sums[column] = (sums[column] ?? 0) + (row[column] ?? 0);
    }
    for (const [column, list] of means.entries()) list[sample] = (sums[column] ?? 0) / rows.length;
  }
  return means.map((list) => {
    list.sort();
    const at = (share: number) => list[Math.round(share * (RESAMPLES - 1))] ?? 0;
    const [low, high] = [at(0.025), at(0.975)];
    return low === high ? wilsonInterval(low * rows.length, rows.length) : [low, high];
  });
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
