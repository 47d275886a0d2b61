import { canonicalJson, isObject, jsonEqual } from '../../core/json.ts';
import type { ExpectedCall, ToolStep } from '../../core/session.ts';
import { optimalAssignment } from './assignment.ts';
import { alignInOrder, type IndexPair } from './sequences.ts';

/** A call, expected or made. */
export type CallSignature = Pick<ToolStep, 'name' | 'arguments'>;

/** An expected call without arguments expects none. */
export function toCallSignature({ name, arguments: args = {} }: ExpectedCall): CallSignature {
  return { name, arguments: args };
}

/**
 * How much of two values agrees, 0 to 1: for objects the equal keys / the keys of both, where nested objects count by
 * their own share; for everything else all or nothing. 1 exactly for equal values; 1 minus it is a metric.
 */
export function argumentSimilarity(a: unknown, b: unknown): number {
  try {
    return keyShare(a, b);
  } catch {
    return 0; // Nested deeper than the stack reaches.
  }
}

function keyShare(a: unknown, b: unknown): number {
  if (!isObject(a) || !isObject(b)) return jsonEqual(a, b) ? 1 : 0;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  if (keys.size === 0) return 1;
  let equal = 0;
  for (const key of keys) if (Object.hasOwn(a, key) && Object.hasOwn(b, key)) equal += keyShare(a[key], b[key]);
  return equal / keys.size;
}

/** Texts that are equal exactly for calls of one tool with equal arguments, whatever the order of their keys. */
export function callKeys(
  calls: readonly CallSignature[],
  side: 'expected' | 'actual',
  ignoreArguments = false,
): string[] {
  return calls.map(({ name, arguments: args }, index) => {
    if (ignoreArguments) return name;
    try {
      return `${name}\n${canonicalJson(args)}`;
    } catch {
      return `${name}\n${side} ${index}`; // Nested deeper than the stack reaches: equal to nothing.
    }
  });
}

/** With more pairs of unequal calls of one tool than this, they are paired in order. */
const MAX_PAIRS = 40_000;

/**
 * Pairs the calls of each tool one to one so that their arguments agree best. Equal calls are paired first, which costs
 * nothing: as 1 - similarity is a metric, no pairing that separates them is better.
 */
export function assignCalls(expected: readonly CallSignature[], actual: readonly CallSignature[]): IndexPair[] {
  const equal = pairEqual(callKeys(expected, 'expected'), callKeys(actual, 'actual'));
  const [rowsLeft, columnsLeft] = unpaired(expected.length, actual.length, equal);
  const columnsOf = Map.groupBy(columnsLeft, (index) => actual[index]?.name);
  const rest = [...Map.groupBy(rowsLeft, (index) => expected[index]?.name)].flatMap(([name, rows]) => {
    const columns = columnsOf.get(name) ?? [];
    const assigned =
      rows.length * columns.length > MAX_PAIRS
        ? rows.map((_, index) => index)
        : optimalAssignment(
            rows.map((row) =>
              columns.map((column) => argumentSimilarity(expected[row]?.arguments, actual[column]?.arguments)),
            ),
          );
    return rows.flatMap((row, index): IndexPair[] => {
      const column = columns[assigned[index] ?? -1];
      return column === undefined ? [] : [[row, column]];
    });
  });
  return [...equal, ...rest];
}

/** Each expected key with the first equal one that is free. */
function pairEqual(expected: readonly string[], actual: readonly string[]): IndexPair[] {
  const places = Map.groupBy(actual.keys(), (index) => actual[index]);
  for (const free of places.values()) free.reverse();
  return expected.flatMap((key, index): IndexPair[] => {
    const place = places.get(key)?.pop();
    return place === undefined ? [] : [[index, place]];
  });
}

function unpaired(expected: number, actual: number, pairs: readonly IndexPair[]): [number[], number[]] {
  const paired = [new Set(pairs.map(([index]) => index)), new Set(pairs.map(([, index]) => index))] as const;
  const free = (length: number, taken: ReadonlySet<number>) =>
    Array.from({ length }, (_, index) => index).filter((index) => !taken.has(index));
  return [free(expected, paired[0]), free(actual, paired[1])];
}

/** An expected and an actual call: the same, the same at another place, or one tool with other arguments. */
export interface CallMatch {
  readonly kind: 'same' | 'moved' | 'arguments';
  /** Zero-based position among the actual calls. */
  readonly actual: number;
}

export interface CallAlignment {
  /** By position among the expected calls; null where a call was not made. */
  readonly matches: readonly (CallMatch | null)[];
  /** Positions of the actual calls that nothing expected. */
  readonly unexpected: readonly number[];
}

/** Aligns expected with actual calls so that as many as can be are the same, and then as many as can be of one tool. */
export function alignCalls(
  expected: readonly CallSignature[],
  actual: readonly CallSignature[],
  { ordered, ignoreArguments }: { readonly ordered: boolean; readonly ignoreArguments: boolean },
): CallAlignment {
  const expectedKeys = callKeys(expected, 'expected', ignoreArguments);
  const actualKeys = callKeys(actual, 'actual', ignoreArguments);
  const isSame = ([a, b]: IndexPair) => expectedKeys[a] === actualKeys[b];

  const full = Math.min(expected.length, actual.length) + 1;
  const weight = (a: number, b: number) => (isSame([a, b]) ? full : Number(expected[a]?.name === actual[b]?.name));
  const candidates = ordered
    ? alignInOrder(expected.length, actual.length, weight, full)
    : ignoreArguments
      ? pairEqual(expectedKeys, actualKeys)
      : assignCalls(expected, actual);

  const same = candidates.filter(isSame);
  const [lateExpected, lateActual] = unpaired(expected.length, actual.length, same);
  const moved = pairEqual(
    lateExpected.map((index) => expectedKeys[index] ?? ''),
    lateActual.map((index) => actualKeys[index] ?? ''),
  ).map(([a, b]): IndexPair => [lateExpected[a] ?? -1, lateActual[b] ?? -1]);

  const matches = new Array<CallMatch | null>(expected.length).fill(null);
  const taken = new Set<number>();
  const take = (pairs: readonly IndexPair[], kind: CallMatch['kind']) => {
    for (const [a, b] of pairs) {
      if (matches[a] || taken.has(b)) continue;
      matches[a] = { kind, actual: b };
      taken.add(b);
    }
  };
  take(same, 'same');
  take(moved, 'moved');
  take(candidates, 'arguments');
  return { matches, unexpected: [...actual.keys()].filter((index) => !taken.has(index)) };
}
