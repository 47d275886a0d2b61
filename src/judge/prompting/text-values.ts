/** A figure, an id or a name in a text. */
export interface TextValue {
  /** Normalized: `1,234.50` and `1234.5` are equal, and so are `A-17` and `a-17`. */
  readonly value: string;
  readonly offset: number;
}

/** Longer tokens are encoded data, which no answer repeats. */
const MAX_TOKEN_LENGTH = 64;

/** Numbers with thousands separators, and words, ids, dates, addresses and decimals with their separators. */
const TOKEN =
  /\d{1,3}(?:,\d{3}){1,6}(?:\.\d+)?(?!\w)|[A-Za-z0-9\u00c0-\uffff](?:[\w@.\u00c0-\uffff-]*[\w\u00c0-\uffff])?/g;

const DIGIT = /\d/;
const CAPITAL = /^[A-Z\u00c0-\u00de\u0386-\u042f]/;
const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;

/** Everything in a text that may be a figure, an id or a name. */
export function* extractValues(text: string): Generator<TextValue> {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.length > MAX_TOKEN_LENGTH) continue;
    if (isFigureOrId(token)) yield { value: normalizeValue(token), offset: index };
    else if (CAPITAL.test(token)) yield { value: token, offset: index };
  }
}

/** The values that indicate a source: no small figures, and no first words of sentences. */
export function* extractDistinctiveValues(text: string): Generator<TextValue> {
  for (const candidate of extractValues(text)) {
    const token = text.slice(candidate.offset, candidate.offset + candidate.value.length);
    if (
      isFigureOrId(candidate.value)
        ? isDistinctive(candidate.value, text, candidate.offset)
        : !beginsSentence(text, candidate.offset, token)
    ) {
      yield candidate;
    }
  }
}

function isFigureOrId(token: string): boolean {
  return DIGIT.test(token) || token.includes('@');
}

function normalizeValue(token: string): string {
  const plain = token.replaceAll(',', '');
  // An id such as 0042 is not the figure 42.
  if (NUMBER.test(plain) && !/^0\d/.test(plain)) return String(Number(plain));
  return token.toLowerCase();
}

function isDistinctive(value: string, text: string, at: number): boolean {
  return value.length >= 3 || /^\d+\.\d/.test(text.slice(at, at + MAX_TOKEN_LENGTH));
}

function beginsSentence(text: string, at: number, token: string): boolean {
  if (token.length < 3) return true;
  let before = at - 1;
  while (before >= 0 && (text[before] === ' ' || text[before] === '\t')) before -= 1;
  return before < 0 || '.!?\n'.includes(text.charAt(before));
}
