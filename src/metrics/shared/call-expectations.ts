import type { CallExpectation, ExpectedToolCall } from '../../core/expectations.ts';
import { createNameTest } from '../../core/name-pattern.ts';
import { optimalAssignment } from './assignment.ts';
import { argumentSimilarity, type CallAlignment, type CallMatch, type CallSignature } from './call-matching.ts';
import { alignInOrder, type IndexPair } from './sequences.ts';
import { type ValueDifference, valueDifferences } from './value-differences.ts';

/** What is wrong with calls that were expected or made: positions from zero among the expected and the actual ones. */
export type UnmetCall =
  | { readonly kind: 'missing-call'; readonly expected: number }
  | {
      readonly kind: 'arguments';
      readonly expected: number;
      readonly actual: number;
      readonly differences: readonly ValueDifference[];
    }
  | {
      readonly kind: 'order';
      readonly expected: number;
      readonly actual: number;
      /** An expected call, and on which side of it this one was expected. */
      readonly neighbor: number;
      readonly relation: 'after' | 'before';
    }
  | { readonly kind: 'extra-call'; readonly actual: number }
  | { readonly kind: 'forbidden-call'; readonly actual: number; readonly pattern: string };

type MatchMode = NonNullable<CallExpectation['matchMode']>;

/** Which deviations of an alignment each mode objects to. */
const OBJECTIONS: Readonly<Record<MatchMode, { readonly [Kind in UnmetCall['kind']]?: true }>> = {
  strict: { 'missing-call': true, arguments: true, order: true, 'extra-call': true },
  unordered: { 'missing-call': true, arguments: true, 'extra-call': true },
  contains: { 'missing-call': true, arguments: true, order: true },
  'unordered-contains': { 'missing-call': true, arguments: true },
  within: { arguments: true, 'extra-call': true },
};

/** Compares the calls that were made with the expected ones. Empty if all is as expected. */
export function findUnmetCalls(
  { matchMode = 'strict', expected, forbidden = [] }: CallExpectation,
  actual: readonly CallSignature[],
): UnmetCall[] {
  const rules = forbidden.map(forbiddenCall);
  const forbiddenCalls = actual.flatMap((made, index): UnmetCall[] => {
    const rule = rules.find(({ matches }) => matches(made));
    return rule ? [{ kind: 'forbidden-call', actual: index, pattern: rule.pattern }] : [];
  });
  const isForbidden = new Set(forbiddenCalls.map((call) => 'actual' in call && call.actual));
  const ordered = matchMode === 'strict' || matchMode === 'contains';
  const alignment = ordered ? alignOrdered(expected, actual) : alignUnordered(expected, actual);
  const deviations = deviationsOf(alignment, expected, actual).filter(
    (deviation) =>
      OBJECTIONS[matchMode][deviation.kind] === true &&
      !(deviation.kind === 'extra-call' && isForbidden.has(deviation.actual)),
  );
  return [...deviations, ...forbiddenCalls];
}

interface ForbiddenCall {
  /** `delete_*`, or `refund_order {"amount":1000}`. */
  readonly pattern: string;
  matches(made: CallSignature): boolean;
}

function forbiddenCall(forbidden: NonNullable<CallExpectation['forbidden']>[number]): ForbiddenCall {
  const {
    name,
    args,
    argMatchMode = args ? 'partial' : 'ignore',
  } = typeof forbidden === 'string' ? { name: forbidden } : forbidden;
  const isName = createNameTest(name);
  const isAnyCall = argMatchMode === 'ignore';
  return {
    pattern: isAnyCall ? name : `${name} ${JSON.stringify(args ?? {})}`,
    matches(made) {
      // A name with its namespace (`functions.delete_order`) is the tool's too.
      const bare = made.name.slice(made.name.lastIndexOf('.') + 1);
      if (!isName(made.name) && !isName(bare)) return false;
      return isAnyCall || valueDifferences(args ?? {}, made.arguments, argMatchMode).length === 0;
    },
  };
}

/** Whether a call is the expected one, or how its arguments differ; null for another tool. */
function argumentDifferences(
  { name, args, argMatchMode = args ? 'partial' : 'ignore' }: ExpectedToolCall,
  made: CallSignature | undefined,
): ValueDifference[] | null {
  if (made?.name !== name) return null;
  return argMatchMode === 'ignore' ? [] : valueDifferences(args ?? {}, made.arguments, argMatchMode);
}

/** How well a call matches: 1 for the expected call, less for the tool with other arguments, 0 for another tool. */
function matchQuality(expected: ExpectedToolCall | undefined, made: CallSignature | undefined): number {
  const differences = expected ? argumentDifferences(expected, made) : null;
  if (!differences) return 0;
  return differences.length === 0 ? 1 : (1 + argumentSimilarity(expected?.args ?? {}, made?.arguments)) / 4;
}

/** With more pairs than this, calls of one tool are paired in order, and the others of the product are not compared. */
const MAX_PAIRS = 250_000;

/**
 * As many expected calls as can be are paired with a call that is as expected, and then as many as can be with another call
 * of the tool. Calls of different tools never match, so each tool is assigned by itself.
 */
function alignUnordered(expected: readonly ExpectedToolCall[], actual: readonly CallSignature[]): CallAlignment {
  const columnsOf = Map.groupBy(actual.keys(), (index) => actual[index]?.name);
  const pairs = [...Map.groupBy(expected.keys(), (index) => expected[index]?.name)].flatMap(([name, rows]) => {
    const columns = columnsOf.get(name) ?? [];
    return assignBest(rows, columns, (row, column) => matchQuality(expected[row], actual[column]));
  });
  return toAlignment(expected, actual, pairs, []);
}

/** Pairs so that as many as can be are of quality 1, and the sum of the other qualities is greatest. */
function assignBest(
  rows: readonly number[],
  columns: readonly number[],
  qualityOf: (row: number, column: number) => number,
): IndexPair[] {
  const full = Math.min(rows.length, columns.length) + 1;
  const weight = (row: number, column: number) => {
    const value = qualityOf(row, column);
    return value === 1 ? full : value;
  };
  const assigned =
    rows.length * columns.length > MAX_PAIRS
      ? rows.map((_, index) => index)
      : optimalAssignment(rows.map((row) => columns.map((column) => weight(row, column))));
  return rows.flatMap((row, index): IndexPair[] => {
    const column = columns[assigned[index] ?? -1];
    return column === undefined || qualityOf(row, column) === 0 ? [] : [[row, column]];
  });
}

/**
 * As many expected calls as can be are paired with calls that are as expected and in order, and then as many as can be with
 * calls of the tool in order; what is left may have come at another place.
 */
function alignOrdered(expected: readonly ExpectedToolCall[], actual: readonly CallSignature[]): CallAlignment {
  const full = Math.min(expected.length, actual.length) + 1;
  const weight = (row: number, column: number) => {
    const value = matchQuality(expected[row], actual[column]);
    return value === 1 ? full : value;
  };
  const inOrder = findSubsequence(expected, actual) ?? alignInOrder(expected.length, actual.length, weight, full);
  const same = inOrder.filter(([row, column]) => matchQuality(expected[row], actual[column]) === 1);
  const left = { rows: [...expected.keys()], columns: [...actual.keys()] };
  const take = (pairs: readonly IndexPair[]) => {
    const [rows, columns] = [new Set(pairs.map(([row]) => row)), new Set(pairs.map(([, column]) => column))];
    left.rows = left.rows.filter((row) => !rows.has(row));
    left.columns = left.columns.filter((column) => !columns.has(column));
    return pairs;
  };
  take(same);
  const moved = take(
    assignBest(left.rows, left.columns, (row, column) => Number(matchQuality(expected[row], actual[column]) === 1)),
  );
  const [rowsLeft, columnsLeft] = [new Set(left.rows), new Set(left.columns)];
  const others = take(inOrder.filter(([row, column]) => rowsLeft.has(row) && columnsLeft.has(column)));
  const elsewhere = assignBest(left.rows, left.columns, (row, column) => matchQuality(expected[row], actual[column]));
  return toAlignment(expected, actual, [...same, ...others, ...elsewhere], moved);
}

/** The first calls that are the expected ones in order; null if there are none. This says it for any number of calls. */
function findSubsequence(expected: readonly ExpectedToolCall[], actual: readonly CallSignature[]): IndexPair[] | null {
  const pairs: IndexPair[] = [];
  for (const [column, made] of actual.entries()) {
    if (matchQuality(expected[pairs.length], made) === 1) pairs.push([pairs.length, column]);
  }
  return pairs.length === expected.length ? pairs : null;
}

/** @param pairs of one tool, in their places unless their arguments differ. @param moved as expected, but elsewhere. */
function toAlignment(
  expected: readonly ExpectedToolCall[],
  actual: readonly CallSignature[],
  pairs: readonly IndexPair[],
  moved: readonly IndexPair[],
): CallAlignment {
  const matches = new Array<CallMatch | null>(expected.length).fill(null);
  const taken = new Set<number>();
  const take = ([row, column]: IndexPair, kind: CallMatch['kind']) => {
    matches[row] = { kind, actual: column };
    taken.add(column);
  };
  for (const [row, column] of pairs) {
    take([row, column], matchQuality(expected[row], actual[column]) === 1 ? 'same' : 'arguments');
  }
  for (const pair of moved) take(pair, 'moved');
  return { matches, unexpected: [...actual.keys()].filter((column) => !taken.has(column)) };
}

function deviationsOf(
  { matches, unexpected }: CallAlignment,
  expected: readonly ExpectedToolCall[],
  actual: readonly CallSignature[],
): UnmetCall[] {
  const ofExpected = matches.flatMap((match, index): UnmetCall[] => {
    if (match === null) return [{ kind: 'missing-call', expected: index }];
    if (match.kind === 'same') return [];
    const pair = { expected: index, actual: match.actual };
    if (match.kind === 'moved') return [{ kind: 'order', ...pair, ...crossedCall(matches, index, match.actual) }];
    const call = expected[index];
    const differences = (call && argumentDifferences(call, actual[match.actual])) ?? [];
    return [{ kind: 'arguments', ...pair, differences }];
  });
  return [...ofExpected, ...unexpected.map((index): UnmetCall => ({ kind: 'extra-call', actual: index }))];
}

/** With more expected calls between them than this, the next one is named. */
const MAX_DISTANCE = 1000;

/** The nearest expected call in its place on the other side of which a moved call came. */
function crossedCall(
  matches: CallAlignment['matches'],
  index: number,
  actual: number,
): Pick<Extract<UnmetCall, { kind: 'order' }>, 'neighbor' | 'relation'> {
  for (let distance = 1; distance <= MAX_DISTANCE; distance += 1) {
    const [before, after] = [matches[index - distance], matches[index + distance]];
    if (before?.kind === 'same' && before.actual > actual) return { neighbor: index - distance, relation: 'after' };
    if (after?.kind === 'same' && after.actual < actual) return { neighbor: index + distance, relation: 'before' };
  }
  return index === 0 ? { neighbor: 1, relation: 'before' } : { neighbor: index - 1, relation: 'after' };
}
