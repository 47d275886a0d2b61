import { get, getArray, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';

/** The value of an attribute and its location. */
export interface Attribute {
  readonly value: unknown;
  readonly pointer: Pointer;
  /** The value differs from its notation in the file, so nothing inside it has a pointer of its own. */
  readonly isRewritten?: boolean;
}

/** The attributes of a span by their dotted keys, whatever their notation in the file. */
export class Attributes {
  readonly #entries: ReadonlyMap<string, Attribute>;

  constructor(entries: ReadonlyMap<string, Attribute>) {
    this.#entries = entries;
  }

  /** The first of the keys whose value is not null. */
  find(...keys: readonly string[]): Attribute | undefined {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry && entry.value !== null && entry.value !== undefined) return entry;
    }
    return undefined;
  }

  get(...keys: readonly string[]): unknown {
    return this.find(...keys)?.value;
  }

  /** The first of the keys whose value is a text that is not empty. */
  text(...keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.#entries.get(key)?.value;
      if (typeof value === 'string' && value !== '') return value;
    }
    return undefined;
  }

  /** The first of the keys whose value is a number, or the digits of one. */
  count(...keys: readonly string[]): number | undefined {
    for (const key of keys) {
      const value = this.#entries.get(key)?.value;
      const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && Number.isFinite(number)) return number;
    }
    return undefined;
  }

  /** Adds an attribute unless its key exists. */
  with(key: string, attribute: Attribute): Attributes {
    return this.find(key) ? this : new Attributes(new Map(this.#entries).set(key, attribute));
  }

  /** Whether any key starts with the prefix. */
  hasAny(prefix: string): boolean {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  /** The attributes whose keys start with a word, without that word; all of them if there are none. */
  under(word: string): Attributes {
    const start = `${word}.`;
    const entries = [...this.#entries].flatMap(([key, entry]): [string, Attribute][] =>
      key.startsWith(start) ? [[key.slice(start.length), entry]] : [],
    );
    return entries.length === 0 ? this : new Attributes(new Map(entries));
  }

  /** The records of a list in flat keys: `prefix.0.role`, `prefix.1.role`, … in order. */
  records(prefix: string): readonly Attributes[] {
    const start = `${prefix}.`;
    const records = new Map<number, Map<string, Attribute>>();
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith(start)) continue;
      const dot = key.indexOf('.', start.length);
      const digits = key.slice(start.length, dot < 0 ? key.length : dot);
      if (!/^\d{1,9}$/.test(digits)) continue;
      const number = Number(digits);
      let record = records.get(number);
      if (!record) {
        record = new Map();
        records.set(number, record);
      }
      record.set(dot < 0 ? '' : key.slice(dot + 1), entry);
    }
    return [...records].toSorted(([a], [b]) => a - b).map(([, record]) => new Attributes(record));
  }
}

export const NO_ATTRIBUTES = new Attributes(new Map());

/** Reads attributes from lists of `{key, value}` (OTLP, Jaeger), from a map with dotted keys, or from a nested map. */
export function attributesOf(value: unknown, pointer: Pointer): Attributes {
  const entries = new Map<string, Attribute>();
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const key = get(entry, 'key');
      if (typeof key === 'string') entries.set(key, plainAttribute(get(entry, 'value'), `${pointer}/${index}/value`));
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const itemPointer = childPointer(pointer, key);
      const entry = value[key];
      entries.set(key, { value: entry, pointer: itemPointer });
      // A dotted key is complete; a key without dots may be the first of several.
      if (typeof entry === 'object' && entry !== null && !key.includes('.'))
        flatten(entry, key, itemPointer, entries, 0);
    }
  }
  return entries.size === 0 ? NO_ATTRIBUTES : new Attributes(entries);
}

/** The fields of an object as attributes, at any depth. */
export function fieldsOf(value: unknown, pointer: Pointer): Attributes {
  if (!isObject(value)) return NO_ATTRIBUTES;
  return new Attributes(
    new Map(Object.entries(value).map(([key, entry]) => [key, { value: entry, pointer: childPointer(pointer, key) }])),
  );
}

/** Deeper objects belong to the values of attributes. */
const MAX_DEPTH = 10;

function flatten(value: object, key: string, pointer: Pointer, into: Map<string, Attribute>, depth: number): void {
  // A vector of numbers is a single value.
  if (depth === MAX_DEPTH || (Array.isArray(value) && typeof value[0] !== 'object')) return;
  for (const [token, entry] of Object.entries(value)) {
    const inner = `${key}.${token}`;
    const itemPointer = childPointer(pointer, token);
    into.set(inner, { value: entry, pointer: itemPointer });
    if (typeof entry === 'object' && entry !== null) flatten(entry, inner, itemPointer, into, depth + 1);
  }
}

/** The value of an attribute or the body of a log record, in OTLP or plain JSON. */
export function plainAttribute(value: unknown, pointer: Pointer): Attribute {
  const unwrapped = unwrapAnyValue(value, 0);
  return unwrapped === value ? { value, pointer } : { value: unwrapped, pointer, isRewritten: true };
}

/** Unwraps OTLP's `AnyValue`, with keys in camel or snake case; returns anything else as it is. */
function unwrapAnyValue(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > 100) return value;
  for (const key of SCALARS) if (Object.hasOwn(value, key)) return value[key];
  const integer = get(value, 'intValue') ?? get(value, 'int_value');
  if (integer !== undefined) return exactInteger(integer);
  const values = getArray(get(value, 'arrayValue') ?? get(value, 'array_value'), 'values');
  if (values) return values.map((entry) => unwrapAnyValue(entry, depth + 1));
  const list = get(value, 'kvlistValue') ?? get(value, 'kvlist_value');
  if (list === undefined) return LISTS.some((key) => Object.hasOwn(value, key)) ? [] : value;
  return Object.fromEntries(
    (getArray(list, 'values') ?? []).flatMap((entry) => {
      const key = get(entry, 'key');
      return typeof key === 'string' ? [[key, unwrapAnyValue(get(entry, 'value'), depth + 1)]] : [];
    }),
  );
}

const SCALARS = [
  'stringValue',
  'boolValue',
  'doubleValue',
  'bytesValue',
  'string_value',
  'bool_value',
  'double_value',
  'bytes_value',
] as const;

/** An empty list has no `values`. */
const LISTS = ['arrayValue', 'array_value'] as const;

/** OTLP writes 64-bit integers as digits. Those that fit into a number become one. */
function exactInteger(value: unknown): unknown {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : value;
}
