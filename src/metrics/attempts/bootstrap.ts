import { seeded } from '../shared/random.ts';
import type { Interval } from './pass-at-k.ts';

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
    return low === high ? wilsonInterval(low, rows.length) : [low, high];
  });
}

/** The 97.5th percentile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * The 95% score interval of a proportion: E. B. Wilson (1927), "Probable Inference, the Law of Succession, and Statistical
 * Inference".
 *
 * @param share from 0 to 1. @param trials at least 1.
 */
export function wilsonInterval(share: number, trials: number): Interval {
  const scale = 1 + Z ** 2 / trials;
  const centre = (share + Z ** 2 / (2 * trials)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / trials + Z ** 2 / (4 * trials ** 2));
  return [share === 0 ? 0 : centre - half, share === 1 ? 1 : centre + half];
}
