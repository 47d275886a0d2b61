/** Steps over JSON text without parsing it. Nothing here recurses, throws, or scans a character twice. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** The first offset from `at` that is not JSON white space, or `limit`. */
export function skipWhitespace(text: string, at: number, limit: number): number {
  let next = at;
  while (next < limit && isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

/** The offset after the closing quote, or `limit`. @param at of the opening quote. */
export function endOfString(text: string, at: number, limit: number): number {
  let from = at + 1;
  for (;;) {
    // Most characters of a trace are in strings: the native search is several times faster than a loop.
    const quote = text.indexOf('"', from);
    if (quote < 0 || quote >= limit) return limit;
    let backslashes = quote;
    while (backslashes > from && text.charCodeAt(backslashes - 1) === BACKSLASH) backslashes -= 1;
    if ((quote - backslashes) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** The offset after the value that starts at `at`, or `limit`; `at` itself if no value starts there. */
export function endOfValue(text: string, at: number, limit: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at, limit);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfScalar(text, at, limit);
  let depth = 0;
  let next = at;
  while (next < limit) {
    const symbol = text.charCodeAt(next);
    if (symbol === QUOTE) {
      next = endOfString(text, next, limit);
      continue;
    }
    next += 1;
    if (symbol === OPEN_BRACE || symbol === OPEN_BRACKET) depth += 1;
    else if ((symbol === CLOSE_BRACE || symbol === CLOSE_BRACKET) && --depth === 0) return next;
  }
  return limit;
}

function endOfScalar(text: string, at: number, limit: number): number {
  let next = at;
  while (next < limit) {
    const symbol = text.charCodeAt(next);
    if (isSpace(symbol) || symbol === COMMA || symbol === COLON || symbol === QUOTE) break;
    if (symbol === CLOSE_BRACE || symbol === CLOSE_BRACKET || symbol === OPEN_BRACE || symbol === OPEN_BRACKET) break;
    next += 1;
  }
  return next;
}

function isSpace(symbol: number): boolean {
  return symbol === SPACE || symbol === 0x0a || symbol === 0x0d || symbol === 0x09;
}
