import { isObject } from '../core/json.ts';
import { sanitizeLine } from '../reports/text.ts';

/** Answers are not nested deeper; what a model makes up may be. */
const DEEPEST = 6;

/** A value of JSON for a person: a line per field, what is in it indented below. */
export function valueLines(value: unknown, depth = 0): string[] {
  if (depth > DEEPEST) return ['…'];
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return [value.map(textOf).join(', ') || 'none'];
    return value.flatMap((item) => {
      const [first = '', ...rest] = valueLines(item, depth + 1);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (!isObject(value)) return [textOf(value)];
  return Object.entries(value).flatMap(([key, item]) => {
    const name = sanitizeLine(key);
    const lines = valueLines(item, depth + 1);
    const isShort = isPlain(item) || (Array.isArray(item) && item.every(isPlain));
    return isShort ? [`${name}: ${lines.join(' ')}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function textOf(value: unknown): string {
  return sanitizeLine(String(value ?? 'none'));
}
