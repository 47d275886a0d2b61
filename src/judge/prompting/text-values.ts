/** A figure, an id or a name in a text. */
export interface TextValue {
  /** Equal for values that are written differently: `1,234.50` and `1234.5`, `A-17` and `a-17`. */
  readonly value: string;
  /** Where it begins. */
  readonly offset: number;
}

/** Longer tokens are encoded data, and nothing that an answer repeats. */
const MAX_TOKEN_LENGTH = 64;

/** Figures with thousands separators, and words with what joins the parts of an id, a date, an address or a decimal. */
const TOKEN =
  /\d{1,3}(?:,\d{3}){1,6}(?:\.\d+)?(?!\w)|[A-Za-z0-9\u00c0-\uffff](?:[\w@.\u00c0-\uffff-]*[\w\u00c0-\uffff])?/g;

const DIGIT = /\d/;
const CAPITAL = /^[A-Z\u00c0-\u00de\u0386-\u042f]/;
const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;

/** Everything in a text that can be a figure, an id or a name. */
export function* extractValues(text: string): Generator<TextValue> {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.length > MAX_TOKEN_LENGTH) continue;
    if (isFigureOrId(token)) yield { value: normalizeValue(token), offset: index };
    else if (CAPITAL.test(token)) yield { value: token, offset: index };
  }
}

/** Those of an agent's own text that say where it comes from: not the small figures and the first words of sentences. */
export function* extractDistinctiveValues(text: string): Generator<TextValue> {
  for (const found of extractValues(text)) {
    const token = text.slice(found.offset, found.offset + found.value.length);
    if (
      isFigureOrId(found.value)
        ? isDistinctive(found.value, text, found.offset)
        : !beginsSentence(text, found.offset, token)
    ) {
      yield found;
    }
  }
}

function isFigureOrId(token: string): boolean {
  return DIGIT.test(token) || token.includes('@');
}

function normalizeValue(token: string): string {
  const bare = token.replaceAll(',', '');
  // An id such as 0042 is not the figure 42.
  if (NUMBER.test(bare) && !/^0\d/.test(bare)) return String(Number(bare));
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
