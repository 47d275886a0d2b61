import { lazy } from '../../core/cache/memoize.ts';
import type { Session } from '../../core/session.ts';
import { isDerivedFigure, type Operands } from './derived-figures.ts';
import { COUNT_BEFORE_UNIT, parseCount, spelledNumbers } from './number-words.ts';
import {
  isDistinctiveName,
  isInsideRecord,
  MAX_AMOUNT,
  MAX_TEXT_LENGTH,
  MAX_TOTALS,
  NAME_START,
  type RecentContext,
} from './recent-values.ts';
import type { ResultRecords } from './result-records.ts';
import { parseValues, type StatedFigure, type StatedValue } from './stated-values.ts';

const MAX_OPERANDS = 40;
const MAX_GROUP_SIZE = 30;
const MAX_GROUPS = 40;
const SMALL_RESULT = 12;
const MAX_INSTRUCTIONS_LENGTH = 20_000;
const MAX_FEES = 20;
const MAX_QUANTITIES = 20;
const MAX_COUNTS = 24;
const MAX_QUANTITY = 10_000;

/**
 * Creates a test of whether a figure can be calculated from what was said and seen: from recent turns, which explain
 * nearly all figures, or else from all that is kept.
 *
 * @param text the answer, or the arguments
 * @param fees amounts and shares in the instructions
 */
export function createDerivationTest(
  text: string,
  recent: RecentContext,
  fees: readonly StatedValue[],
): (figure: StatedFigure) => boolean {
  const recentOperands = lazy(() => createOperandLookup(text, recent, fees, 'recent'));
  const allOperands = lazy(() => createOperandLookup(text, recent, fees, 'all'));
  return (figure) =>
    isDerivedFigure(figure, recentOperands()(figure)) || isDerivedFigure(figure, allOperands()(figure));
}

/** @returns a look-up of the operands for a value in the text */
function createOperandLookup(
  text: string,
  { results, olderResults, olderAmounts, texts }: RecentContext,
  fees: readonly StatedValue[],
  reach: 'recent' | 'all',
): (value: StatedValue) => Operands {
  const shares: number[] = [];
  const counts = new Set<number>();
  const sortOut = (values: readonly StatedValue[]): StatedFigure[] =>
    values.flatMap((entry) => {
      if (entry.kind !== 'figure' || entry.amount === 0 || entry.amount > MAX_AMOUNT) return [];
      if (entry.unit === 'percent') shares.push(entry.amount);
      if (!isCount(entry.amount) || entry.unit !== 'count') return [entry];
      counts.add(entry.amount);
      return [];
    });
  const stated = sortOut(parseValues(text));
  const recentTexts = texts().map((other) => other.slice(0, MAX_TEXT_LENGTH));
  const recentFigures = recentTexts.flatMap((other) => sortOut(parseValues(other)));
  if (reach === 'all') {
    for (const other of [text.slice(0, MAX_TEXT_LENGTH), ...recentTexts])
      for (const count of countsInWords(other)) counts.add(count);
  }
  const groups = new AmountGroups();
  const totals: number[] = [];
  const isNamed = lazy(() => createNameTest(text));
  for (const result of reach === 'all' ? [...results, ...olderResults()] : results) {
    for (const count of result.counts) if (isCount(count)) counts.add(count);
    const amounts = result.amounts();
    if (amounts.length === 0) continue;
    const isSmall = amounts.length <= SMALL_RESULT;
    const cited = isSmall && reach === 'recent' ? NONE : citedRecords(result, isNamed());
    for (const { key, record, amount } of amounts)
      if (isSmall || isInsideRecord(record, result, cited)) groups.add(key, amount);
    if (reach === 'recent') continue;
    totals.push(...result.listTotals());
    const closest = withoutEnclosing(cited, result);
    // The items that the text names, without the others of their order.
    if (closest.size > 1) {
      for (const { key, record, amount } of amounts)
        if (isInsideRecord(record, result, closest)) groups.add(`${result.turn} ${key}`, amount);
    }
  }
  const shared = {
    before: [
      ...recentFigures.slice(0, MAX_OPERANDS).map(({ amount }) => amount),
      ...(reach === 'all' ? olderAmounts() : []),
      ...sortOut(fees).map(({ amount }) => amount),
    ],
    shares: shares.slice(0, MAX_OPERANDS),
    counts: [...counts].slice(0, MAX_COUNTS),
    totals: [...new Set(totals)].slice(0, MAX_TOTALS),
    groups: groups.lists(),
  };
  const quantitiesIn = lazy(() =>
    parseValues(text).filter((entry): entry is StatedFigure => entry.kind === 'figure' && isNumberOfItems(entry)),
  );
  return (value) => {
    // The closest ones, if there are too many.
    const around = stated
      .filter((other) => other.text !== value.text)
      .sort((a, b) => Math.abs(a.at - value.at) - Math.abs(b.at - value.at))
      .slice(0, MAX_OPERANDS)
      .sort((a, b) => a.at - b.at);
    const own = around.map(({ amount }) => amount);
    if (reach === 'recent') return { own, ...shared };
    return {
      own,
      columns: [...columnsOf(text, around), productsOf(around, quantitiesIn())],
      quantities: [...around, ...recentFigures]
        .filter(isQuantity)
        .slice(0, MAX_QUANTITIES)
        .map(({ amount }) => amount),
      runs: runsAround(value, around),
      ...shared,
    };
  };
}

const NONE: ReadonlySet<number> = new Set();

/** Amounts by key, in bounded lists. */
class AmountGroups {
  readonly #lists = new Map<string, number[]>();

  add(key: string, amount: number): void {
    const list = this.#lists.get(key);
    if (list) {
      if (list.length < MAX_GROUP_SIZE) list.push(amount);
    } else if (this.#lists.size < MAX_GROUPS) this.#lists.set(key, [amount]);
  }

  lists(): (readonly number[])[] {
    return [...this.#lists.values()];
  }
}

/** How far from its number of items a price may be. */
const MAX_ITEM_DISTANCE = 80;

/** Every amount times the number of items that stands between the last amount and it: 17.80 for `2 pizzas at $8.90`. */
function productsOf(figures: readonly StatedFigure[], quantities: readonly StatedFigure[]): number[] {
  let last = 0;
  return figures.map(({ at, end, amount }) => {
    const from = Math.max(last, at - MAX_ITEM_DISTANCE);
    const quantity = quantities.find((other) => other.at >= from && other.end <= at);
    last = end;
    return amount * (quantity?.amount ?? 1);
  });
}

function isNumberOfItems({ amount, unit }: StatedFigure): boolean {
  return unit === 'count' && Number.isInteger(amount) && amount > 1 && amount < 100;
}

/** How many amounts on either side of a figure may be the parts of which it is made. */
const MAX_RUN = 12;

/** The sums of the amounts directly before a value, and directly after it. */
function runsAround({ at }: StatedValue, figures: readonly StatedFigure[]): number[] {
  const before = figures.filter((figure) => figure.at < at && figure.unit === 'money').toReversed();
  const after = figures.filter((figure) => figure.at > at && figure.unit === 'money');
  return [before, after].flatMap((side) => {
    let sum = 0;
    return side.slice(0, MAX_RUN).map(({ amount }) => {
      sum += amount;
      return sum;
    });
  });
}

const MAX_LABEL_DISTANCE = 80;

/**
 * The amounts of an answer that stand in one column: in the same place of lines that begin alike, or after the same
 * word.
 */
function columnsOf(text: string, figures: readonly StatedFigure[]): (readonly number[])[] {
  const columns = new Map<string, number[]>();
  const lineOf = (at: number) => text.lastIndexOf('\n', at - 1) + 1;
  const lines = Map.groupBy(figures, ({ at }) => lineOf(at));
  for (const [start, line] of lines) {
    const heading = /[A-Za-z]+/.exec(text.slice(start, Math.min(line[0]?.at ?? start, start + MAX_LABEL_DISTANCE)));
    for (const [index, { at, amount }] of line.entries()) {
      const label = /([A-Za-z]+)[^A-Za-z]*$/.exec(text.slice(Math.max(start, at - MAX_LABEL_DISTANCE), at));
      const keys = [
        `${heading?.[0]} ${index}`,
        `${heading?.[0]} -${line.length - index}`,
        `${index} of ${line.length}`,
        ...(label ? [label[1] ?? ''] : []),
      ];
      for (const key of keys) {
        const column = columns.get(key);
        if (column) column.push(amount);
        else columns.set(key, [amount]);
      }
    }
  }
  return [...columns.values()].filter((column) => column.length > 1);
}

const UNIT = new RegExp(`\\b(${COUNT_BEFORE_UNIT})[- ](week|fortnight|month|year)s?\\b`, 'gi');
const PARTS_OF_UNIT: Readonly<Record<string, readonly number[]>> = {
  week: [7],
  fortnight: [14],
  month: [30],
  year: [12, 365],
};

/** The numbers that words stand for: 7 for the days of `a week`. */
function countsInWords(text: string): number[] {
  const periods = Array.from(text.matchAll(UNIT), ([, written = '', unit = '']) => {
    const count = parseCount(written);
    return [count, ...(PARTS_OF_UNIT[unit.toLowerCase()] ?? []).map((parts) => count * parts)];
  });
  return [...spelledNumbers(text), ...periods.flat()].filter((count) => count > 1 && count <= MAX_QUANTITY);
}

/** The amounts and shares in the instructions of a session. */
export function feesInInstructions({ system, knowledge = [] }: Session): StatedValue[] {
  return [system ?? '', ...knowledge]
    .flatMap((text) => parseValues(text.slice(0, MAX_INSTRUCTIONS_LENGTH)))
    .filter((figure) => figure.kind === 'figure' && figure.unit !== 'count')
    .slice(0, MAX_FEES);
}

function isCount(amount: number): boolean {
  return Number.isInteger(amount) && amount > 1 && amount <= 12;
}

/** Whether it may be a number of units, such as `50 kg`; years and the counts of items are not. */
function isQuantity({ amount, unit }: StatedFigure): boolean {
  return (
    unit === 'count' &&
    Number.isInteger(amount) &&
    amount > 12 &&
    amount <= MAX_QUANTITY &&
    !(amount >= 1900 && amount <= 2100)
  );
}

/** The records whose names appear in a text. */
function citedRecords({ records }: ResultRecords, isNamed: (name: string) => boolean): ReadonlySet<number> {
  const cited = new Set<number>();
  for (const [index, { names }] of records.entries()) if (names.some(isNamed)) cited.add(index);
  return cited;
}

/** The records of a set that contain no other one of it. */
function withoutEnclosing(cited: ReadonlySet<number>, { records }: ResultRecords): ReadonlySet<number> {
  const enclosing = new Set<number>();
  for (const record of cited) {
    for (let at = records[record]?.parent ?? -1; at >= 0 && !enclosing.has(at); at = records[at]?.parent ?? -1)
      enclosing.add(at);
  }
  return new Set([...cited].filter((record) => !enclosing.has(record)));
}

/**
 * Creates a test of whether a text contains a distinctive name. Results have very many names, and a table of what
 * begins anywhere in the text excludes nearly all of them.
 */
function createNameTest(text: string): (name: string) => boolean {
  const lower = text.toLowerCase();
  const starts = new Uint8Array(1 << 14);
  for (let at = 0; at + NAME_START <= lower.length; at += 1) starts[startHash(lower, at)] = 1;
  return (name) =>
    name.length >= NAME_START &&
    starts[startHash(name, 0)] === 1 &&
    isDistinctiveName(name) &&
    lower.includes(name.toLowerCase());
}

/** Equal for texts that begin alike, whatever the case of their letters. */
function startHash(text: string, at: number): number {
  let hash = 0;
  for (let i = at; i < at + NAME_START; i += 1) {
    const code = text.charCodeAt(i);
    // Letters of other scripts may have their capitals anywhere.
    hash = (Math.imul(hash, 31) + (code >= 0x80 ? 1 : code >= 0x41 && code <= 0x5a ? code + 0x20 : code)) & 0x3fff;
  }
  return hash;
}
