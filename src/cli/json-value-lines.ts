import { isObject } from '../core/json.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';

/** Valid answers are not nested deeper. */
const MAX_DEPTH = 6;

/** A JSON value as text: a line for each field, with nested values indented below. */
export function jsonValueLines(value: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return ['…'];
  if (Array.isArray(value)) {
    if (value.every(isPrimitive)) return [value.map(textOf).join(', ') || 'none'];
    return value.flatMap((item) => {
      const [first = '', ...rest] = jsonValueLines(item, depth + 1);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (!isObject(value)) return [textOf(value)];
  return Object.entries(value).flatMap(([key, item]) => {
    const name = sanitizeLine(key);
    const lines = jsonValueLines(item, depth + 1);
    const isShort = isPrimitive(item) || (Array.isArray(item) && item.every(isPrimitive));
    return isShort ? [`${name}: ${lines.join(' ')}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function textOf(value: unknown): string {
  return sanitizeLine(String(value ?? 'none'));
}
