import * as z from 'zod';

export interface Measurement<T> {
  readonly item: T;
  readonly amount: number;
}

export interface Outlier<T> extends Measurement<T> {
  /** Of all measurements. */
  readonly median: number;
}

/** The options that outlier rules share. */
export const outlierOptions = z.strictObject({
  /** At least this many times the median. */
  ratio: z.number().min(1).default(5),
  /** The number of comparable measurements that are required. */
  observations: z.int().min(2).default(8),
});

/** Limit of the modified z-score, by Iglewicz and Hoaglin (1993). */
const MAX_Z_SCORE = 3.5;
const MAD_OF_NORMAL = 0.6745;

/** More frequent values are not outliers but a second group. */
const MAX_SHARE = 0.05;

/**
 * Finds amounts far above the median, on a logarithmic scale, since durations and sizes vary by factors. Uses the
 * ratio and the median absolute deviation, so that neither a narrow nor a wide spread creates outliers.
 *
 * @param least smaller amounts are never reported
 */
export function findOutliers<T>(
  observed: readonly Measurement<T>[],
  { ratio, observations }: z.infer<typeof outlierOptions>,
  minimum: number,
): Outlier<T>[] {
  if (observed.length < observations) return [];
  const logs = observed.map(({ amount }) => Math.log(Math.max(amount, 1)));
  const centre = medianOf(logs);
  const spread = medianOf(logs.map((log) => Math.abs(log - centre)));
  const median = medianOf(observed.map(({ amount }) => amount));
  const outlying = observed.filter(({ amount }, index) => {
    const distance = (logs[index] ?? centre) - centre;
    return amount >= minimum && amount >= ratio * median && distance * MAD_OF_NORMAL > MAX_Z_SCORE * spread;
  });
  if (outlying.length > Math.max(1, observed.length * MAX_SHARE)) return [];
  return outlying.map((measurement) => ({ ...measurement, median }));
}

/** `12 times the median`; without a number if the median is zero. */
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
