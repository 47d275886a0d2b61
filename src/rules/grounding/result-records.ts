import { isObject, parseJson } from '../../core/json.ts';
import { parseValues, type StatedValue } from './stated-values.ts';

/** A value of a result, with its key. */
export class ResultEntry {
  readonly key: string;
  readonly leaf: string | number;
  /** Index of the record that contains it. */
  readonly record: number;
  #values: readonly StatedValue[] | undefined;

  constructor(key: string, leaf: string | number, record: number) {
    this.key = key;
    this.leaf = leaf;
    this.record = record;
  }

  /** Parsed on first use. */
  get values(): readonly StatedValue[] {
    this.#values ??= parseValues(String(this.leaf));
    return this.#values;
  }
}

/** An object in a result. Its scalar values are names by which an answer may refer to it. */
export interface ResultRecord {
  /** Index of the enclosing record; -1 for the outermost. */
  readonly parent: number;
  /** Index of the list that directly contains it; -1 if none does. */
  readonly list: number;
  readonly names: readonly string[];
}

export interface ResultRecords {
  readonly entries: readonly ResultEntry[];
  readonly records: readonly ResultRecord[];
  /** The lengths of the lists. */
  readonly counts: readonly number[];
}

/** How much of a result is read. */
const MAX_ENTRIES = 2000;
const MAX_JSON_LENGTH = 500_000;
const MAX_TEXT_LENGTH = 20_000;
const MAX_NAME_LENGTH = 80;
const MAX_NAMES = 10_000;

/** Parses the labelled values of a result and their records, without recursion. */
export function parseRecords(result: unknown): ResultRecords {
  const entries: ResultEntry[] = [];
  const records: ResultRecord[] = [];
  const counts: number[] = [];
  let nameCount = 0;
  const pending: {
    readonly value: unknown;
    readonly key: string;
    readonly around: number;
    readonly list: number;
  }[] = [{ value: result, key: '', around: -1, list: -1 }];
  while (pending.length > 0 && entries.length < MAX_ENTRIES && records.length < MAX_ENTRIES) {
    const next = pending.pop();
    if (!next) break;
    const value = unwrapJson(next.value);
    if (Array.isArray(value)) {
      counts.push(value.length);
      for (let i = Math.min(value.length, MAX_ENTRIES) - 1; i >= 0; i -= 1) {
        pending.push({ value: value[i], key: next.key, around: next.around, list: counts.length - 1 });
      }
    } else if (isObject(value)) {
      const fields = Object.entries(value);
      const names = [next.key];
      for (const [, inner] of fields) {
        if (nameCount >= MAX_NAMES) break;
        if ((typeof inner === 'string' && inner.length <= MAX_NAME_LENGTH) || typeof inner === 'number') {
          nameCount += 1;
          names.push(String(inner));
        }
      }
      records.push({ parent: next.around, list: next.list, names });
      for (let i = fields.length - 1; i >= 0; i -= 1) {
        const [key, inner] = fields[i] ?? [''];
        pending.push({ value: inner, key, around: records.length - 1, list: -1 });
      }
    } else if (typeof value === 'number') {
      entries.push(new ResultEntry(next.key, value, next.around));
    } else if (typeof value === 'string') {
      if (value.length <= MAX_NAME_LENGTH) entries.push(new ResultEntry(next.key, value, next.around));
      else if (LABEL_END.test(value)) {
        for (const [, key = '', leaf = ''] of value.slice(0, MAX_TEXT_LENGTH).matchAll(LABELLED_VALUE)) {
          entries.push(new ResultEntry(key, leaf, next.around));
        }
      }
    }
  }
  return { entries, records, counts };
}

/** A cheap test for labels in a text. */
const LABEL_END = /[:=]\s?['"*]{0,3}[$€£¥₹]?\d/;

/** `Total: $452.10`, `'total': 452.1` in a text. */
const LABELLED_VALUE = /\b([A-Za-z][\w ]{0,30})['"*]{0,3}\s?[:=]\s?['"*]{0,3}([$€£¥₹]?\d[\w:.,-]{0,30})/g;

/** Replaces JSON in a string by its value. */
function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_JSON_LENGTH || !looksLikeJson(value)) return value;
  const parsed = parseJson(value);
  return typeof parsed === 'object' && parsed !== null ? parsed : value;
}

/** Whether a text begins like a JSON object or array. */
export function looksLikeJson(text: string): boolean {
  return /^\s{0,9}[[{]/.test(text);
}
