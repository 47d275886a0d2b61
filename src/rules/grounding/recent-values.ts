import { lazy } from '../../core/cache/memoize.ts';
import type { Session, ToolStep } from '../../core/session.ts';
import type { Operands } from './derived-figures.ts';
import { looksLikeJson, parseRecords, type ResultEntry, type ResultRecords } from './result-records.ts';
import { parseValues, type StatedValue } from './stated-values.ts';

/** Recent texts and results, which a value may be calculated or quoted from. */
export interface RecentContext {
  /** Newest first. */
  readonly results: readonly RecentResult[];
  /** Texts of the user and the agent, and arguments. */
  texts(): readonly string[];
}

export interface RecentResult extends ResultRecords {
  readonly turn: number;
  readonly step: ToolStep;
}

const TURNS_BACK = 3;
const MAX_RESULTS = 40;

/** Provides the recent context of each turn, in order. Each result is parsed once and kept while it is recent. */
export class RecentValues {
  readonly #session: Session;
  readonly #read = new Map<ToolStep, RecentResult>();
  #turn = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param until the index of a step in the turn; this step and later ones are excluded */
  before(turn: number, until = Number.POSITIVE_INFINITY): RecentContext {
    if (turn > this.#turn) this.#forget(turn);
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
      texts: lazy(() => sources.map((source) => (typeof source === 'string' ? source : argumentText(source)))),
    };
  }

  #result(turn: number, step: ToolStep): RecentResult {
    const cached = this.#read.get(step);
    if (cached) return cached;
    const result = { turn, step, ...parseRecords(step.result ?? step.error) };
    this.#read.set(step, result);
    return result;
  }

  #forget(turn: number): void {
    this.#turn = turn;
    for (const [step, result] of this.#read) if (result.turn <= turn - TURNS_BACK) this.#read.delete(step);
  }
}

/** The values of a call's arguments as one text. */
export function argumentText({ arguments: args }: ToolStep): string {
  return parseRecords(args)
    .entries.slice(0, 50)
    .map(({ leaf }) => String(leaf).slice(0, 200))
    .join(' ; ');
}

const MAX_OPERANDS = 40;
const MAX_GROUP_SIZE = 30;
const MAX_GROUPS = 40;
const SMALL_RESULT = 12;
const MAX_TEXT_LENGTH = 2000;
const MAX_INSTRUCTIONS_LENGTH = 20_000;
const MAX_FEES = 20;
/** Larger numbers are identifiers. */
const MAX_AMOUNT = 1e7;

/**
 * @param text the answer, or the arguments
 * @param fees amounts and shares in the instructions
 * @returns a look-up of the operands for a value in the text
 */
export function createOperandLookup(
  text: string,
  { results, texts }: RecentContext,
  fees: readonly StatedValue[],
): (value: StatedValue) => Operands {
  const shares: number[] = [];
  const counts = new Set<number>();
  const amountsIn = (values: readonly StatedValue[]) =>
    values.flatMap((entry) => {
      if (entry.kind !== 'figure' || entry.amount === 0 || entry.amount > MAX_AMOUNT) return [];
      if (entry.unit === 'percent') shares.push(entry.amount);
      if (!isCount(entry.amount) || entry.unit !== 'count') return [entry.amount];
      counts.add(entry.amount);
      return [];
    });
  const stated = parseValues(text);
  amountsIn(stated);
  const recentAmounts = texts()
    .flatMap((other) => amountsIn(parseValues(other.slice(0, MAX_TEXT_LENGTH))))
    .slice(0, MAX_OPERANDS);
  const before = [...recentAmounts, ...amountsIn(fees)];
  const groups = new Map<string, number[]>();
  for (const result of results) {
    for (const count of result.counts) if (isCount(count)) counts.add(count);
    const figures = result.entries.flatMap((entry) => {
      const amount = amountOf(entry);
      return amount === undefined ? [] : [{ entry, amount }];
    });
    const cited = figures.length > SMALL_RESULT ? citedRecords(result, text) : null;
    for (const { entry, amount } of figures) {
      if (cited !== null && !isInsideRecord(entry.record, result, cited)) continue;
      const group = groups.get(entry.key);
      if (!group && groups.size < MAX_GROUPS) groups.set(entry.key, [amount]);
      else if (group && group.length < MAX_GROUP_SIZE) group.push(amount);
    }
  }
  const shared = { before, shares: shares.slice(0, MAX_OPERANDS), counts: [...counts], groups: [...groups.values()] };
  return (value) => {
    // The closest ones, if there are too many.
    const around = stated
      .filter((other) => other.text !== value.text)
      .sort((a, b) => Math.abs(a.at - value.at) - Math.abs(b.at - value.at))
      .slice(0, MAX_OPERANDS)
      .sort((a, b) => a.at - b.at);
    return { own: amountsIn(around), ...shared };
  };
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

/** The records whose names appear in a text. */
function citedRecords({ records }: ResultRecords, text: string): ReadonlySet<number> {
  const lower = text.toLowerCase();
  const cited = new Set<number>();
  for (const [index, { names }] of records.entries()) {
    if (names.some((name) => isDistinctiveName(name) && lower.includes(name.toLowerCase()))) cited.add(index);
  }
  return cited;
}

export function isDistinctiveName(name: string): boolean {
  return name.length >= 4 && (/\d/.test(name) || /[A-Z]/.test(name));
}

/** Whether a record is one of the given ones, or inside one. */
export function isInsideRecord(record: number, { records }: ResultRecords, cited: ReadonlySet<number>): boolean {
  for (let at = record; at >= 0; at = records[at]?.parent ?? -1) if (cited.has(at)) return true;
  return false;
}
