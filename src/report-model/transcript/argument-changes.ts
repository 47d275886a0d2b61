import { isObject, jsonEqual } from '../../core/json.ts';
import type { ToolStep } from '../../core/session.ts';
import { argumentsText, valueText } from './turn-texts.ts';

/** An argument that differs between two calls, as JSON; null where a call does not have it. */
export interface ArgumentChange {
  /** Null for arguments that are no object. */
  readonly name: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

export interface ArgumentComparison {
  readonly changes: readonly ArgumentChange[];
  /** How many arguments are equal. */
  readonly equal: number;
}

/** Compares the arguments of two calls key by key. */
export function compareArguments(before: ToolStep['arguments'], after: ToolStep['arguments']): ArgumentComparison {
  if (!isObject(before) || !isObject(after)) {
    if (isEqual(before, after)) return { changes: [], equal: 1 };
    return { changes: [{ name: null, before: argumentsText(before), after: argumentsText(after) }], equal: 0 };
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = names.flatMap((name): ArgumentChange[] => {
    const [has, had] = [Object.hasOwn(after, name), Object.hasOwn(before, name)];
    if (has && had && isEqual(before[name], after[name])) return [];
    return [{ name, before: had ? valueText(before[name]) : null, after: has ? valueText(after[name]) : null }];
  });
  return { changes, equal: names.length - changes.length };
}

function isEqual(a: unknown, b: unknown): boolean {
  try {
    return jsonEqual(a, b);
  } catch {
    return false; // Nested deeper than the stack reaches.
  }
}
