import { lazy } from '../../core/cache/memoize.ts';
import type { Session, ToolStep } from '../../core/session.ts';
import { looksLikeJson, parseRecords, type ResultEntry, type ResultRecords } from './result-records.ts';
import { parseValues } from './stated-values.ts';

/** Recent texts and results, which a value may be quoted from, and older ones, which it may be calculated from. */
export interface RecentContext {
  /** Newest first. */
  readonly results: readonly RecentResult[];
  /** Results of earlier turns, newest first. */
  olderResults(): readonly RecentResult[];
  /** Amounts in earlier texts of the user and the agent, newest first. */
  olderAmounts(): readonly number[];
  /** Texts of the user and the agent, and arguments. */
  texts(): readonly string[];
}

export interface RecentResult extends ResultRecords {
  readonly turn: number;
  readonly step: ToolStep;
  amounts(): readonly ResultAmount[];
  /** What the entries of a list have together: the price of two flights that belong together. */
  listTotals(): readonly number[];
}

/** A figure of a result that a calculation may use. */
interface ResultAmount {
  readonly key: string;
  /** Index of the record that contains it. */
  readonly record: number;
  readonly amount: number;
}

const TURNS_BACK = 3;
const MAX_RESULTS = 40;
/** How many earlier results and amounts are kept: enough for a sum, few enough that hardly any figure is one by chance. */
const MAX_OLDER_RESULTS = 40;
const MAX_OLDER_AMOUNTS = 40;

/**
 * Provides the recent context of each turn, in order. Each result is parsed at most once, and kept until newer ones
 * take its place, so that the time is linear in the session however long it is.
 */
export class RecentValues {
  readonly #session: Session;
  readonly #read = new Map<ToolStep, RecentResult>();
  /** The newest calls of the turns before {@link #turn}, oldest first. */
  readonly #older: { readonly turn: number; readonly step: ToolStep }[] = [];
  /** The newest amounts in texts of these turns, oldest first. */
  readonly #olderAmounts: number[] = [];
  /** The first recent turn. */
  #turn = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param until the index of a step in the turn; this step and later ones are excluded */
  before(turn: number, until = Number.POSITIVE_INFINITY): RecentContext {
    this.#advance(Math.max(0, turn - TURNS_BACK + 1));
    const results: RecentResult[] = [];
    const sources: (string | ToolStep)[] = [];
    for (let at = turn; at >= 0 && at > turn - TURNS_BACK && results.length < MAX_RESULTS; at -= 1) {
      const current = this.#session.turns[at];
      if (!current) continue;
      if (current.input !== null) sources.push(current.input);
      if (at < turn && current.output !== null) sources.push(current.output);
      const end = at === turn ? Math.min(until, current.steps.length) : current.steps.length;
      for (let i = end - 1; i >= 0 && results.length < MAX_RESULTS; i -= 1) {
        const step = current.steps[i];
        if (step?.type !== 'tool') continue;
        results.push(this.#result(at, step));
        const result = step.result ?? step.error;
        if (typeof result === 'string' && !looksLikeJson(result)) sources.push(result);
        sources.push(step);
      }
    }
    return {
      results,
      olderResults: lazy(() => this.#older.map((older) => this.#result(older.turn, older.step)).reverse()),
      olderAmounts: lazy(() => this.#olderAmounts.toReversed()),
      texts: lazy(() => sources.map((source) => (typeof source === 'string' ? source : argumentText(source)))),
    };
  }

  #result(turn: number, step: ToolStep): RecentResult {
    const cached = this.#read.get(step);
    if (cached) return cached;
    const parsed = parseRecords(step.result ?? step.error);
    const amounts = lazy(() => amountsIn(parsed));
    const result = { turn, step, ...parsed, amounts, listTotals: lazy(() => listTotals(parsed, amounts())) };
    this.#read.set(step, result);
    return result;
  }

  /** Moves what comes before a turn from the recent context to the older one. */
  #advance(turn: number): void {
    for (; this.#turn < turn; this.#turn += 1) {
      const { input = null, steps = [], output = null } = this.#session.turns[this.#turn] ?? {};
      for (const text of [input, output]) {
        if (text !== null) this.#olderAmounts.push(...amountsNamedIn(text.slice(0, MAX_TEXT_LENGTH)));
      }
      for (const step of steps) if (step.type === 'tool') this.#older.push({ turn: this.#turn, step });
    }
    this.#olderAmounts.splice(0, Math.max(0, this.#olderAmounts.length - MAX_OLDER_AMOUNTS));
    const dropped = this.#older.splice(0, Math.max(0, this.#older.length - MAX_OLDER_RESULTS));
    for (const { step } of dropped) this.#read.delete(step);
  }
}

/** The values of a call's arguments as one text. */
export function argumentText({ arguments: args }: ToolStep): string {
  return parseRecords(args)
    .entries.slice(0, 50)
    .map(({ leaf }) => String(leaf).slice(0, 200))
    .join(' ; ');
}

/** Larger numbers are identifiers. */
export const MAX_AMOUNT = 1e7;
export const MAX_TEXT_LENGTH = 2000;
export const MAX_TOTALS = 200;

/** The amounts of money, and other figures with decimals, in a text. */
function amountsNamedIn(text: string): number[] {
  return parseValues(text).flatMap((value) =>
    value.kind === 'figure' && (value.unit === 'money' || value.decimals > 0) && value.amount <= MAX_AMOUNT
      ? [value.amount]
      : [],
  );
}

function amountsIn({ entries }: ResultRecords): ResultAmount[] {
  return entries.flatMap((entry) => {
    const amount = amountOf(entry);
    return amount === undefined ? [] : [{ key: entry.key, record: entry.record, amount }];
  });
}

function amountOf(entry: ResultEntry): number | undefined {
  const { leaf } = entry;
  if (typeof leaf === 'number') return leaf === 0 || Math.abs(leaf) > MAX_AMOUNT ? undefined : Math.abs(leaf);
  const [only] = entry.values;
  return only?.kind === 'figure' &&
    only.end - only.at >= leaf.length - 4 &&
    only.amount > 0 &&
    only.amount <= MAX_AMOUNT
    ? only.amount
    : undefined;
}

const QUANTITY_KEY = /^(?:quantity|qty|units?|count|number)$/i;

/** Longer lists are alternatives, not parts of one thing. */
const MAX_PARTS = 12;

function listTotals({ records }: ResultRecords, amounts: readonly ResultAmount[]): number[] {
  const totals = new Map<string, { count: number; sum: number }>();
  const add = (name: string, amount: number) => {
    const { count, sum } = totals.get(name) ?? { count: 0, sum: 0 };
    totals.set(name, { count: count + 1, sum: sum + amount });
  };
  const quantities = new Map(
    amounts.flatMap(({ key, record, amount }) => (QUANTITY_KEY.test(key) ? [[record, amount] as const] : [])),
  );
  for (const { key, record, amount } of amounts) {
    let at = record;
    while (at >= 0 && (records[at]?.list ?? -1) < 0) at = records[at]?.parent ?? -1;
    if (at < 0) continue;
    // The key alone may name a price and a number of seats.
    const name = `${records[at]?.list} ${records[record]?.names[0]} ${key}`;
    add(name, amount);
    const quantity = quantities.get(record);
    if (quantity !== undefined) add(`${name} by quantity`, amount * quantity);
  }
  return [...totals.values()]
    .filter(({ count }) => count > 1 && count <= MAX_PARTS)
    .map(({ sum }) => sum)
    .slice(0, MAX_TOTALS);
}

/** The shortest name that is distinctive. */
export const NAME_START = 4;

export function isDistinctiveName(name: string): boolean {
  return name.length >= NAME_START && (/\d/.test(name) || /[A-Z]/.test(name));
}

/** Whether a record is one of the given ones, or inside one. */
export function isInsideRecord(record: number, { records }: ResultRecords, cited: ReadonlySet<number>): boolean {
  for (let at = record; at >= 0; at = records[at]?.parent ?? -1) if (cited.has(at)) return true;
  return false;
}
