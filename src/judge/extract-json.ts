import { isObject, type JsonObject, parseJson } from '../core/json.ts';

/** Characters that are gone through in search of an object: a text may have millions of braces that do not close. */
const MAX_SCANNED = 2_000_000;

/**
 * The object that a model answered with: the text itself, or what stands in a fence or between other words. Models think
 * aloud, and in braces too: an object counts when it has one of the keys, and the last of those is the one that is meant.
 */
export function extractObject(text: string, keys: readonly string[]): JsonObject | null {
  const whole = parseJson(text);
  if (isObject(whole)) return whole;
  let meant: JsonObject | null = null;
  let other: JsonObject | null = null;
  let start = text.indexOf('{');
  let passed = 0;
  while (start >= 0 && passed < MAX_SCANNED) {
    const end = findObjectEnd(text, start);
    passed += (end > start ? end : text.length) - start;
    const value = parseJson(text.slice(start, end));
    if (!isObject(value)) {
      start = text.indexOf('{', start + 1);
      continue;
    }
    if (keys.some((key) => Object.hasOwn(value, key))) meant = value;
    else other = value;
    start = text.indexOf('{', end);
  }
  return meant ?? other;
}

/** What is complete in an object whose text was cut. */
export function extractTruncatedObject(text: string): JsonObject | null {
  const start = text.indexOf('{');
  let complete = -1;
  for (const { at, sign, depth } of structuralCharacters(text, start)) {
    if (sign === ',' && depth === 1) complete = at;
  }
  const value = complete < 0 ? undefined : parseJson(`${text.slice(start, complete)}}`);
  return isObject(value) ? value : null;
}

/** `start` itself where the object has no end. */
function findObjectEnd(text: string, start: number): number {
  for (const { at, sign, depth } of structuralCharacters(text, start)) if (sign === '}' && depth === 0) return at + 1;
  return start;
}

/** Commas and brackets outside of strings, with the depth behind each; from the bracket at `start` to its end. */
function* structuralCharacters(text: string, start: number): Generator<{ at: number; sign: string; depth: number }> {
  let depth = 0;
  let inString = false;
  for (let at = start; at >= 0 && at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
      continue;
    }
    if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else if (sign !== ',') continue;
    if (sign !== '"') yield { at, sign, depth };
    if (depth === 0) return;
  }
}
