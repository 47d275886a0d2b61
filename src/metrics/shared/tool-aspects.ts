import { isObject, jsonEqual } from '../../core/json.ts';
import type { ExpectedCall, ToolStep } from '../../core/session.ts';
import { argumentSimilarity, assignCalls, type CallSignature, toCallSignature } from './call-matching.ts';
import { sharedCount } from './multiset.ts';
import { alignInOrder } from './sequences.ts';

/** How well calls match the expected ones, each 0 to 1. */
export interface ToolAspects {
  readonly selection: number;
  readonly parameters: number;
  readonly sequence: number;
}

type UsedCall = Pick<ToolStep, 'name' | 'arguments' | 'step'>;

/**
 * The aspects as this project defines them: F1 over the names, each as often as it is called; the best one-to-one
 * pairing of calls by their arguments; the longest common subsequence of the names / expected calls. All 0 when nothing
 * was used or nothing expected.
 */
export function toolAspects(
  used: readonly UsedCall[],
  expected: readonly ExpectedCall[],
  orderMatters: boolean,
): ToolAspects {
  if (used.length === 0 || expected.length === 0) return { selection: 0, parameters: 0, sequence: 0 };
  const wanted = expected.map(toCallSignature);
  const shared = sharedCount(namesOf(used), namesOf(wanted));
  const agreement = assignCalls(wanted, used).reduce(
    (sum, [row, column]) => sum + argumentSimilarity(wanted[row]?.arguments, used[column]?.arguments),
    0,
  );
  const sameName = (a: number, b: number) => Number(wanted[a]?.name === used[b]?.name);
  return {
    selection: (2 * shared) / (used.length + wanted.length),
    parameters: agreement / wanted.length,
    sequence: orderMatters ? alignInOrder(wanted.length, used.length, sameName, 1).length / wanted.length : 1,
  };
}

/**
 * The aspects as Fair Forge 3.0 computes them: Jaccard of the sets of names, each expected call against the first used
 * call of that name, equal absolute `step` for the i-th call of a name. Its conventions for nothing expected: parameters
 * and sequence 0, and selection 1 when nothing was used either.
 */
export function fairForgeAspects(
  used: readonly UsedCall[],
  expected: readonly ExpectedCall[],
  orderMatters: boolean,
): ToolAspects {
  const usedByName = Map.groupBy(used, ({ name }) => name);
  const expectedByName = Map.groupBy(expected, ({ name }) => name);
  const common = [...expectedByName.keys()].filter((name) => usedByName.has(name)).length;
  const union = usedByName.size + expectedByName.size - common;

  let agreement = 0;
  for (const call of expected) {
    const first = usedByName.get(call.name)?.[0];
    if (first) agreement += equalKeys(toCallSignature(call), first);
  }
  let inPlace = 0;
  for (const [name, calls] of expectedByName) {
    const made = usedByName.get(name) ?? [];
    inPlace += calls.filter((call, index) => index < made.length && call.step === made[index]?.step).length;
  }
  return {
    selection: union === 0 ? 1 : common / union,
    parameters: ratio(agreement, expected.length),
    sequence: orderMatters ? ratio(inPlace, expected.length) : 1,
  };
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function namesOf(calls: readonly Pick<CallSignature, 'name'>[]): string[] {
  return calls.map(({ name }) => name);
}

/** Equal keys / keys of both. In its source's language an absent key equals null, and true equals 1. */
function equalKeys({ arguments: expected }: CallSignature, { arguments: used }: CallSignature): number {
  if (!isObject(expected) || !isObject(used)) return 0;
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(used)])];
  const equal = keys.filter((key) => pythonEqual(ownValue(expected, key), ownValue(used, key)));
  return keys.length === 0 ? 1 : equal.length / keys.length;
}

function ownValue(values: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : null;
}

function pythonEqual(a: unknown, b: unknown): boolean {
  try {
    return jsonEqual(booleansToNumbers(a), booleansToNumbers(b));
  } catch {
    return false; // Nested deeper than the stack allows.
  }
}

/** The same value with 1 for true and 0 for false. */
function booleansToNumbers(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value)) return value.map(booleansToNumbers);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, booleansToNumbers(inner)]))
    : value;
}
