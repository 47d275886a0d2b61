/** What was measured once, by name. */
export type Figures = Readonly<Record<string, number>>;

/** What was measured several times. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Null where nothing was measured. Of an even number of values, the median is the mean of the two in the middle. */
export function computeSpread(values: readonly number[]): Spread | null {
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor(sorted.length / 2)];
  if (least === undefined || most === undefined || low === undefined || high === undefined) return null;
  return { median: (low + high) / 2, least, most };
}
