export type Interval = readonly [low: number, high: number];

/** The 97.5th percentile of the standard normal distribution. */
export const Z_95 = 1.959963984540054;

/**
 * The 95% score interval of a proportion: E. B. Wilson (1927), "Probable Inference, the Law of Succession, and Statistical
 * Inference". Without trials it is 0 to 1.
 *
 * @param successes from 0 to `trials`, whole or a sum of shares.
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials === 0) return [0, 1];
  const share = successes / trials;
  const scale = 1 + Z_95 ** 2 / trials;
  const centre = (share + Z_95 ** 2 / (2 * trials)) / scale;
  const half = (Z_95 / scale) * Math.sqrt((share * (1 - share)) / trials + Z_95 ** 2 / (4 * trials ** 2));
  return [share === 0 ? 0 : centre - half, share === 1 ? 1 : centre + half];
}
