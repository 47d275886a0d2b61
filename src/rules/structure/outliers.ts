import * as z from 'zod';

export interface Measurement<T> {
  readonly item: T;
  readonly amount: number;
}

export interface Outlier<T> extends Measurement<T> {
  /** Of all that were observed. */
  readonly median: number;
}

/** What the rules about outliers share in configuration. */
export const outlierOptions = z.strictObject({
  /** How many times the median. */
  ratio: z.number().min(1).default(5),
  /** Fewer comparable observations have no usual amount. */
  observations: z.int().min(2).default(8),
});

/** Deviations from the median beyond which a value is an outlier: Iglewicz and Hoaglin (1993), modified z-score. */
const MAX_Z_SCORE = 3.5;
const MAD_OF_NORMAL = 0.6745;

/** What comes more often than that is no outlier but a second kind of thing. */
const MAX_SHARE = 0.05;

/**
 * Amounts far above the median of all, on a logarithmic scale, since durations and sizes spread by factors; by ratio and
 * by the median of the absolute deviations, so that neither a narrow nor a wide spread makes outliers.
 *
 * @param least smaller amounts trouble nobody, however unusual.
 */
export function findOutliers<T>(
  observed: readonly Measurement<T>[],
  { ratio, observations }: z.infer<typeof outlierOptions>,
  least: number,
): Outlier<T>[] {
  if (observed.length < observations) return [];
  const logs = observed.map(({ amount }) => Math.log(Math.max(amount, 1)));
  const centre = medianOf(logs);
  const spread = medianOf(logs.map((log) => Math.abs(log - centre)));
  const median = medianOf(observed.map(({ amount }) => amount));
  const found = observed.filter(({ amount }, index) => {
    const distance = (logs[index] ?? centre) - centre;
    return amount >= least && amount >= ratio * median && distance * MAD_OF_NORMAL > MAX_Z_SCORE * spread;
  });
  if (found.length > Math.max(1, observed.length * MAX_SHARE)) return [];
  return found.map((one) => ({ ...one, median }));
}

/** `12 times the median`; without a figure where the median is nothing. */
export function describeRatio({ amount, median }: Outlier<unknown>): string {
  const times = amount / median;
  if (!Number.isFinite(times)) return 'far above the median';
  return `${times < 10 ? Math.round(times * 10) / 10 : Math.round(times).toLocaleString('en-US')} times the median`;
}

function medianOf(amounts: readonly number[]): number {
  const sorted = Float64Array.from(amounts).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}
