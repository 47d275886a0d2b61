import type { Document } from '../core/document.ts';
import { isObject } from '../core/json.ts';

/** Describes a document that is not a trace: `it is an object with the keys "name", "version"`. */
export function describeDocument({ value, lines }: Document): string {
  if (lines && Array.isArray(value)) return `it is JSON Lines, ${describeEntries(value)}`;
  if (Array.isArray(value))
    return value.length === 0 ? 'it is an empty list' : `it is a list, ${describeEntries(value)}`;
  if (isObject(value)) return `it is ${describeObject(value)}`;
  if (value === null) return 'it is null';
  return `it is a ${typeof value}`;
}

function describeEntries(entries: readonly unknown[]): string {
  const first = entries.find((entry) => entry !== undefined);
  if (isObject(first)) return `and its first entry is ${describeObject(first)}`;
  if (Array.isArray(first)) return 'and its first entry is a list';
  return `and its first entry is ${first === null ? 'null' : `a ${typeof first}`}`;
}

const MAX_NAMED_KEYS = 5;

function describeObject(value: object): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const names = keys
    .slice(0, MAX_NAMED_KEYS)
    .map((key) => JSON.stringify(key.length > 40 ? `${key.slice(0, 39)}…` : key));
  const more = keys.length > MAX_NAMED_KEYS ? ` and ${keys.length - MAX_NAMED_KEYS} more` : '';
  return `an object with ${keys.length === 1 ? 'the key' : 'the keys'} ${names.join(', ')}${more}`;
}
