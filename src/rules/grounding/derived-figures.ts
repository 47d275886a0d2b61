import type { StatedFigure } from './stated-values.ts';

/** Figures near a statement that it may have been calculated from, in order. */
export interface Operands {
  /** In the text that states it. */
  readonly own: readonly number[];
  /** In earlier texts of the user and the agent, and in arguments. */
  readonly before: readonly number[];
  /** In results, grouped by key: prices, balances. */
  readonly groups: readonly (readonly number[])[];
  /** Percentages. */
  readonly shares: readonly number[];
  /** Numbers of passengers, nights, or items in lists. */
  readonly counts: readonly number[];
  /** Larger numbers of units: the kilograms of an order. */
  readonly quantities?: readonly number[];
  /** What the entries of a list in a result have together. */
  readonly totals?: readonly number[];
  /** Figures in the text that stand in one column of a list or a table. */
  readonly columns?: readonly (readonly number[])[];
  /** The sums of the figures directly before the statement, and directly after it. */
  readonly runs?: readonly number[];
}

type FigureTest = (other: number) => boolean;

/** Kilometres, pounds, gallons, feet, inches; minutes, hours, weeks, months, years; thousands. */
const UNIT_FACTORS = [1.609344, 0.45359237, 3.785411784, 0.3048, 2.54, 60, 3600, 24, 7, 12, 52, 365, 100, 1000, 1024];

/**
 * Whether a figure follows from others by a calculation that a reader would try: a multiple by a count, a sum, a
 * difference, a share, an average, another unit. Deliberately broad, since a figure that can be calculated is not an
 * invention.
 */
export function isDerivedFigure({ amount: figure, unit, decimals }: StatedFigure, operands: Operands): boolean {
  const { own, before, groups, shares, counts, quantities = [], totals = [], columns = [], runs = [] } = operands;
  // The figure may have been rounded to the digits as written.
  const half = 0.500001 / 10 ** decimals;
  const matches: FigureTest = (other) => Math.abs(other - figure) <= (Number.isInteger(other) ? 1e-6 : half);
  const all = [...new Set([...own, ...before, ...groups.flat()])];
  const multiples = [2, ...counts];
  return (
    all.some((value) => isMultiple(value, unit === 'count' ? [...multiples, ...UNIT_FACTORS] : multiples, matches)) ||
    isSumOrDifference(figure, all, matches) ||
    (unit !== 'percent' && all.some((value) => isShare(value, shares, matches))) ||
    (unit === 'percent' && all.some((value) => all.some((other) => isRatio(value, other, matches)))) ||
    (unit === 'count' && all.some((value) => matches(value * 1.8 + 32) || matches((value - 32) / 1.8))) ||
    isTotal(before, [1], matches) ||
    [own, ...groups].some(
      (list) => isAverage(list, matches) || isTotal(list, [1, ...multiples], matches) || isPair(list, counts, matches),
    ) ||
    isSumOfThree(own, matches) ||
    (unit !== 'percent' && all.some((value) => value !== 1 && isMultiple(value, quantities, matches))) ||
    totals.some((total) => matches(total) || multiples.some((count) => matches(total * count))) ||
    columns.some((column) => isTotal(column, [1, ...multiples], matches)) ||
    isDifferenceOfSums(columns, matches) ||
    runs.some((run) => all.some((value) => matches(Math.abs(value - run))))
  );
}

function isMultiple(value: number, factors: readonly number[], is: FigureTest): boolean {
  return factors.some((factor) => is(value * factor) || is(value / factor));
}

/** Searches the missing operand among sorted amounts instead of trying every pair. */
function isSumOrDifference(figure: number, all: readonly number[], is: FigureTest): boolean {
  const sorted = Float64Array.from(all).sort();
  const closestTo = (target: number) => {
    const at = lowerBound(sorted, target);
    return [at - 1, at].flatMap((index) => sorted[index] ?? []);
  };
  return all.some(
    (value) =>
      closestTo(figure - value).some((other) => is(value + other)) ||
      closestTo(value - figure).some((other) => is(value - other)),
  );
}

function lowerBound(sorted: Float64Array, target: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < target) from = middle + 1;
    else to = middle;
  }
  return from;
}

function isShare(value: number, shares: readonly number[], is: FigureTest): boolean {
  return shares.some(
    (share) =>
      [share, 100 - share, 100 + share].some((part) => is((value * part) / 100)) ||
      // The tax included in a price, and the price without it.
      [share, 100].some((part) => is((value * part) / (100 + share))),
  );
}

function isRatio(value: number, other: number, is: FigureTest): boolean {
  const ratio = (value / other) * 100;
  return is(ratio) || is(Math.abs(ratio - 100));
}

/** The sum of adjacent figures in a list, times a count. */
function isTotal(list: readonly number[], factors: readonly number[], is: FigureTest): boolean {
  for (let from = 0; from < list.length; from += 1) {
    let sum = list[from] ?? 0;
    for (let to = from + 1; to < list.length; to += 1) {
      sum += list[to] ?? 0;
      if (factors.some((factor) => is(sum * factor))) return true;
    }
  }
  return false;
}

function isAverage(list: readonly number[], is: FigureTest): boolean {
  return list.length > 1 && is(list.reduce((sum, value) => sum + value, 0) / list.length);
}

/** The sum or difference of two figures, times a count. */
function isPair(list: readonly number[], counts: readonly number[], is: FigureTest): boolean {
  return list.some((value) =>
    list.some((other) => counts.some((count) => is((value - other) * count) || is((value + other) * count))),
  );
}

/** What the figures of one column have more than those of another: old prices and new prices. */
function isDifferenceOfSums(columns: readonly (readonly number[])[], is: FigureTest): boolean {
  const sums = columns.map((column) => ({
    length: column.length,
    sum: column.reduce((sum, figure) => sum + figure, 0),
  }));
  return sums.some((a) => sums.some((b) => a.length === b.length && is(a.sum - b.sum)));
}

/** A price with its fee and its discount. */
function isSumOfThree(own: readonly number[], is: FigureTest): boolean {
  return own.some((value, i) =>
    own
      .slice(i + 1)
      .some((other) =>
        own.some((third) => is(value + other + third) || is(value + other - third) || is(third - value - other)),
      ),
  );
}
