/** The named ranges that scores live in. `label` has none: its result is a word. */
export const SCALES = {
  unit: [0, 1],
  likert: [1, 5],
  binary: [0, 1],
  count: [0, null],
  milliseconds: [0, null],
  tokens: [0, null],
  label: null,
} as const satisfies Record<string, readonly [number, number | null] | null>;

export type ScaleName = keyof typeof SCALES;
export type ScoreRange = readonly [min: number, max: number | null];

export function scaleRange(scale: ScaleName): ScoreRange | null {
  return SCALES[scale];
}

export function inRange(score: number, range: ScoreRange): boolean {
  return score >= range[0] && (range[1] === null || score <= range[1]);
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** A half-open range of scores `[from, next)` that has a name; the highest one includes its end. */
export interface Band {
  readonly from: number;
  readonly name: string;
  readonly meaning: string;
}

/** The first band whose `from` is reached. Bands are listed from the highest to the lowest, without gaps. */
export function bandOf(score: number, bands: readonly Band[]): { name: string; meaning: string } | null {
  const band = bands.find((candidate) => score >= candidate.from);
  return band ? { name: band.name, meaning: band.meaning } : null;
}

/** Rounds the exact binary value, ties to even, as the source systems print their figures. */
export function round(value: number, places = 4): number {
  if (!Number.isFinite(value)) return value;
  const scaled = value * 10 ** places;
  // At `places` decimals only odd multiples of 2^-(places+1) are exact ties; `toFixed` would take those away from zero.
  const halves = value * 2 ** (places + 1);
  const tie = Number.isInteger(halves) && Math.abs(halves % 2) === 1;
  const rounded = tie ? (2 * Math.round(scaled / 2)) / 10 ** places : Number(value.toFixed(places));
  return rounded === 0 ? 0 : rounded;
}
