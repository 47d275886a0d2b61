import { isObject, jsonEqual } from '../../core/json.ts';

/** Where two values differ. */
export interface ValueDifference {
  /** Keys and indexes; empty for the values themselves. */
  readonly path: readonly (string | number)[];
  readonly kind: 'other' | 'missing' | 'extra';
  readonly expected?: unknown;
  readonly actual?: unknown;
}

/** More differences than this are not listed. */
const MAX_DIFFERENCES = 20;

/**
 * The first differences of two JSON values; none if they match. `partial`: objects may have more keys than expected, at every
 * depth; lists have the same length, and their entries match one by one.
 */
export function valueDifferences(expected: unknown, actual: unknown, mode: 'exact' | 'partial'): ValueDifference[] {
  const differences: ValueDifference[] = [];
  try {
    collect(expected, actual, [], mode, differences);
  } catch {
    differences.push({ path: [], kind: 'other', expected, actual }); // Nested deeper than the stack reaches.
  }
  return differences;
}

function collect(
  expected: unknown,
  actual: unknown,
  path: readonly (string | number)[],
  mode: 'exact' | 'partial',
  differences: ValueDifference[],
): void {
  if (differences.length >= MAX_DIFFERENCES) return;
  if (isObject(expected) && isObject(actual)) {
    for (const [key, value] of Object.entries(expected)) {
      if (Object.hasOwn(actual, key)) collect(value, actual[key], [...path, key], mode, differences);
      else differences.push({ path: [...path, key], kind: 'missing', expected: value });
    }
    if (mode === 'partial') return;
    for (const [key, value] of Object.entries(actual)) {
      if (!Object.hasOwn(expected, key)) differences.push({ path: [...path, key], kind: 'extra', actual: value });
    }
  } else if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, value] of expected.entries()) {
      collect(value, actual[index], [...path, index], mode, differences);
    }
  } else if (!jsonEqual(expected, actual)) {
    differences.push({ path, kind: 'other', expected, actual });
  }
}

/** `order.items[0].price`. */
export function formatPath(path: ValueDifference['path']): string {
  return path.reduce<string>(
    (text, token) => (typeof token === 'number' ? `${text}[${token}]` : text === '' ? token : `${text}.${token}`),
    '',
  );
}
