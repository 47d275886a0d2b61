import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfString, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-text.ts';

/** Properties of a JSON text that decide how it is parsed. */
export interface JsonScan {
  /** The offset where nesting exceeds `MAX_DEPTH`, which ends the scan; null otherwise. */
  readonly tooDeepAt: number | null;
  /** Whether it contains an integer that a JavaScript number would round. */
  readonly unsafeInteger: boolean;
  /** The number of commas, arrays and objects: about that of values, and never less than half of it. */
  readonly values: number;
  /** The offset where `values` exceeds the maximum, which ends the scan; null otherwise. */
  readonly tooManyAt: number | null;
  /** The offset of the first number beyond the range of JavaScript numbers, such as 1e400; null otherwise. */
  readonly infiniteAt: number | null;
}

/** Maximum nesting of arrays and objects: more than any trace has, and safe for recursion. */
export const MAX_DEPTH = 1000;

/**
 * Maximum number of values in a file. The densest traces have 60,000 in a megabyte; parsed values take 8 to 180 bytes each,
 * so that these take less memory than a process has.
 */
export const MAX_VALUES = 20_000_000;

/** Integers with fewer digits are always exact. */
const MIN_UNSAFE_DIGITS = 16;

const ZERO = 0x30;
const POINT = 0x2e;

/** Scans a part of a text, which may not be JSON, in one pass. */
export function scanJson(text: string, start = 0, end = text.length, maxValues = MAX_VALUES): JsonScan {
  let depth = 0;
  let values = 0;
  let unsafeInteger = false;
  let infiniteAt: number | null = null;
  let at = start;
  while (at < end) {
    const symbol = text.charCodeAt(at);
    if (symbol === QUOTE) {
      at = endOfString(text, at, end);
      continue;
    }
    if (symbol === COMMA) {
      values += 1;
      if (values > maxValues) return { tooDeepAt: null, unsafeInteger, values, tooManyAt: at, infiniteAt };
    } else if (symbol === OPEN_BRACE || symbol === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return { tooDeepAt: at, unsafeInteger, values, tooManyAt: null, infiniteAt };
      if (values > maxValues) return { tooDeepAt: null, unsafeInteger, values, tooManyAt: at, infiniteAt };
    } else if (symbol === CLOSE_BRACE || symbol === CLOSE_BRACKET) {
      depth -= 1;
    } else if (isDigit(symbol)) {
      const digits = at;
      while (isDigit(text.charCodeAt(at))) at += 1;
      if (continuesNumber(text.charCodeAt(at))) {
        at = endOfNumber(text, at);
        if (mayBeInfinite(text, digits, at) && Number(text.slice(digits, at)) === Number.POSITIVE_INFINITY)
          infiniteAt ??= digits;
      } else if (at - digits >= MIN_UNSAFE_DIGITS)
        unsafeInteger ||= !Number.isSafeInteger(Number(text.slice(digits, at)));
      continue;
    }
    at += 1;
  }
  return { tooDeepAt: null, unsafeInteger, values, tooManyAt: null, infiniteAt };
}

/** Whether a number is long, or has an exponent of three digits: no other is beyond 1e308. */
function mayBeInfinite(text: string, start: number, end: number): boolean {
  let exponent = end;
  while (isDigit(text.charCodeAt(exponent - 1))) exponent -= 1;
  return end - start > 308 || (end - exponent >= 3 && text.charCodeAt(exponent - 1) !== POINT);
}

function endOfNumber(text: string, at: number): number {
  let next = at;
  for (let symbol = text.charCodeAt(next); isDigit(symbol) || continuesNumber(symbol); symbol = text.charCodeAt(next)) {
    next += 1;
  }
  return next;
}

function isDigit(symbol: number): boolean {
  return symbol >= ZERO && symbol < ZERO + 10;
}

/** A decimal point, an exponent, or its sign. */
function continuesNumber(symbol: number): boolean {
  return symbol === POINT || symbol === 0x65 || symbol === 0x45 || symbol === 0x2b || symbol === 0x2d;
}
