import { seeded } from './random.ts';

/**
 * What was measured of one unit, such as a task: `values[i]` in the run `runs[i]`, a zero-based position in the series. A unit
 * may have several values in a run, and none in another.
 */
export interface Stratum {
  readonly values: readonly number[];
  readonly runs: readonly number[];
}

export interface ChangePoint {
  /** The first run after the change. */
  readonly at: number;
  /** Of the two-sided test, corrected for the search over all positions. */
  readonly p: number;
  /** Whether values are higher after it than before it. */
  readonly rises: boolean;
}

export interface ChangePointOptions {
  /** The positions to look at, each from 1 to the number of runs - 1; by default all of them. */
  readonly positions?: readonly number[];
  readonly seed?: number;
}

const MAX_DRAWS = 1999;
const MIN_DRAWS = 199;
/** Values that all draws move together: it bounds the time, not what is tested. */
const WORK = 1e7;
/** So many draws as extreme as the data settle that there is no change. */
const ENOUGH = 50;
const SEED = 0x51ed2701;

/**
 * The position in a series of runs where values before and after it differ most, and how likely that is if the runs are all
 * alike. A permutation test: values change places between runs within their unit, so that neither units that differ, nor
 * runs with other numbers of values, look like a change. Exact for any distribution; p is the share of draws whose best
 * position is at least as extreme (B. Phipson and G. K. Smyth, 2010: never 0). The statistic of a position is that of
 * P. H. van Elteren (1960), with the values themselves instead of ranks, divided by its standard deviation over all
 * permutations.
 *
 * @param runs the number of runs. @returns null where nothing varies, or nothing stands on both sides of any position.
 */
export function findChangePoint(
  strata: readonly Stratum[],
  runs: number,
  { positions, seed = SEED }: ChangePointOptions = {},
): ChangePoint | null {
  const centred = strata.flatMap((stratum) => centre(stratum) ?? []);
  const deviations = positionDeviations(centred, runs, positions ?? Array.from({ length: runs }, (_, at) => at));
  if (deviations.every((deviation) => deviation === 0)) return null;

  const sums = new Float64Array(runs);
  for (const { values, runs } of centred) addToRuns(values, runs, sums);
  const observed = mostExtreme(sums, deviations);
  const values = centred.reduce((sum, stratum) => sum + stratum.values.length, 0);
  const draws = Math.min(MAX_DRAWS, Math.max(MIN_DRAWS, Math.floor(WORK / values)));
  const random = seeded(seed);
  let [extreme, drawn] = [0, 0];
  while (drawn < draws && extreme < ENOUGH) {
    sums.fill(0);
    for (const { values, runs } of centred) {
      shuffle(values, random);
      addToRuns(values, runs, sums);
    }
    drawn += 1;
    if (mostExtreme(sums, deviations).size >= observed.size * (1 - 1e-9)) extreme += 1;
  }
  return { at: observed.at, p: (extreme + 1) / (drawn + 1), rises: observed.rises };
}

interface CentredStratum {
  /** Minus their mean. */
  readonly values: Float64Array;
  readonly runs: Int32Array;
  /** The sum of their squares. */
  readonly squares: number;
}

/** Null for values that are all the same: no permutation changes anything. */
function centre({ values, runs }: Stratum): CentredStratum | null {
  const first = values[0];
  if (values.every((value) => value === first)) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = Float64Array.from(values, (value) => value - mean);
  return { values: centred, runs: Int32Array.from(runs), squares: centred.reduce((sum, value) => sum + value ** 2, 0) };
}

/** By position: the standard deviation over all permutations of the sum of the values before it; 0 where it is not looked at. */
function positionDeviations(
  strata: readonly CentredStratum[],
  runs: number,
  positions: readonly number[],
): Float64Array {
  const variances = new Float64Array(runs);
  for (const { values, runs: own, squares } of strata) {
    const counts = new Float64Array(runs);
    for (const run of own) counts[run] = (counts[run] ?? 0) + 1;
    const n = values.length;
    let before = 0;
    for (let at = 1; at < runs; at += 1) {
      before += counts[at - 1] ?? 0;
      // Drawing `before` of n values without replacement.
      variances[at] = (variances[at] ?? 0) + (squares * before * (n - before)) / (n * (n - 1));
    }
  }
  const searched = new Set(positions);
  return variances.map((variance, at) => (searched.has(at) ? Math.sqrt(variance) : 0));
}

function addToRuns(values: Float64Array, runs: Int32Array, sums: Float64Array): void {
  for (let index = 0; index < values.length; index += 1) {
    const run = runs[index] ?? 0;
    sums[run] = (sums[run] ?? 0) + (values[index] ?? 0);
  }
}

function mostExtreme(
  sums: Float64Array,
  deviations: Float64Array,
): { readonly at: number; readonly size: number; readonly rises: boolean } {
  let best = { at: 0, size: 0, rises: false };
  let before = 0;
  for (let at = 1; at < sums.length; at += 1) {
    before += sums[at - 1] ?? 0;
    const deviation = deviations[at] ?? 0;
    const size = deviation === 0 ? 0 : Math.abs(before) / deviation;
    // What sums to less than its mean before a position is higher after it.
    if (size > best.size) best = { at, size, rises: before < 0 };
  }
  return best;
}

/** In place: Fisher and Yates. */
function shuffle(values: Float64Array, random: () => number): void {
  for (let index = values.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    const value = values[index] ?? 0;
    values[index] = values[other] ?? 0;
    values[other] = value;
  }
}
