/** Reading values of unknown shape. Nothing here trusts a prototype: keys such as `__proto__` are only data. */

import { MAX_DEPTH, scanJson } from './scan-json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property, or undefined. */
export function get(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function getString(value: unknown, key: string): string | undefined {
  const property = get(value, key);
  return typeof property === 'string' ? property : undefined;
}

export function getNumber(value: unknown, key: string): number | undefined {
  const property = get(value, key);
  return typeof property === 'number' && Number.isFinite(property) ? property : undefined;
}

export function getArray(value: unknown, key: string): readonly unknown[] | undefined {
  const property = get(value, key);
  return Array.isArray(property) ? property : undefined;
}

export function getObject(value: unknown, key: string): JsonObject | undefined {
  const property = get(value, key);
  return isObject(property) ? property : undefined;
}

/** An id, whether it is text or a number. */
export function getId(value: unknown, key: string): string | undefined {
  const property = get(value, key);
  if (typeof property === 'string') return property;
  return typeof property === 'number' ? String(property) : undefined;
}

/** A JSON text inside a trace or an answer has far fewer. */
const MAX_VALUES_OF_TEXT = 1_000_000;

/** How a JSON text begins. An error of the parser costs more than reading most texts. */
const JSON_START = /^[ \t\n\r]*(?:[[{"]|-?\d|true|false|null)/;

/** JSON text as a value; undefined when it is not JSON, or too deep or too large to be looked at. */
export function parseJson(text: string): unknown {
  if (!JSON_START.test(text)) return undefined;
  try {
    // A shorter text can be neither.
    if (text.length > MAX_DEPTH) {
      const { tooDeepAt, tooManyAt } = scanJson(text, 0, text.length, MAX_VALUES_OF_TEXT);
      if (tooDeepAt !== null || tooManyAt !== null) return undefined;
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deep equality of JSON values: the order of keys is irrelevant, the order of arrays is not. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  );
}

/** Text that is equal exactly for equal JSON values, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}

/** A value as text: strings as they are, everything else as JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : (JSON.stringify(value) ?? '');
}
