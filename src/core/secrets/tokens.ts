import { matchPatterns } from '../text-pattern.ts';
import type { SecretFinder, SecretMatch } from './secret-match.ts';
import { TOKEN_FORMS, TOKEN_PATTERNS, type TokenForm } from './token-forms.ts';

/** Of the shortest token, its prefix included. */
const MIN_LENGTH = 18;

interface CompiledForm extends Omit<TokenForm, 'prefixes' | 'rest'> {
  readonly regex: RegExp;
}

/** The forms by the first three letters of their prefix. */
const FORMS: ReadonlyMap<number, readonly CompiledForm[]> = compileForms();

function compileForms(): Map<number, CompiledForm[]> {
  const forms = new Map<number, CompiledForm[]>();
  for (const { kind, prefixes, rest, holds } of TOKEN_FORMS) {
    for (const prefix of prefixes) {
      const key = lettersAt(prefix, 0);
      const regex = new RegExp(`${prefix.replaceAll('.', '\\.')}${rest.source}(?!\\w)`, `y${rest.flags}`);
      forms.set(key, [...(forms.get(key) ?? []), { kind, regex, holds }]);
    }
  }
  return forms;
}

/** Three characters as a number, since most texts have many places where a token could begin. */
function lettersAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 128 + text.charCodeAt(at + 1)) * 128 + text.charCodeAt(at + 2);
}

/** Tokens that their own form identifies, wherever they stand. */
export const findTokens: SecretFinder = (text) => [
  ...prefixedTokens(text),
  ...matchPatterns(text, TOKEN_PATTERNS).map((match) => ({ ...match, isReported: true })),
];

function* prefixedTokens(text: string): Generator<SecretMatch> {
  let free = 0;
  for (const [start, end] of longRuns(text)) {
    for (let at = tokenStart(text, start); at < end; at = nextStart(text, at, end)) {
      if (at < free) continue;
      const match = matchAt(text, at);
      if (!match) continue;
      // Also after a placeholder: it is searched once, or the search would not be linear.
      free = match.end;
      if (match.holds) yield { kind: match.kind, start: at, end: free, isReported: true };
    }
  }
}

interface FormMatch {
  readonly kind: string;
  readonly end: number;
  readonly holds: boolean;
}

/** The first form that fits and holds, else the first that fits. */
function matchAt(text: string, start: number): FormMatch | null {
  let placeholder: FormMatch | null = null;
  for (const { kind, regex, holds } of FORMS.get(lettersAt(text, start)) ?? []) {
    regex.lastIndex = start;
    const value = regex.exec(text)?.[0];
    if (value === undefined) continue;
    const match = { kind, end: start + value.length, holds: holds(value) };
    if (match.holds) return match;
    placeholder ??= match;
  }
  return placeholder;
}

/** Characters of tokens: letters, digits and `_ . ~ + / -`. */
const IS_TOKEN_CHARACTER = charactersLike(/[\w.~+/-]/);
const IS_DIVIDER = charactersLike(/[.~+/]/);

function charactersLike(kind: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => Number(kind.test(String.fromCharCode(code))));
}

const isTokenCharacter = (text: string, at: number) => IS_TOKEN_CHARACTER[text.charCodeAt(at)] === 1;

/** The ranges of long words. It looks where one would end first, so most of a text of short words is never looked at. */
function* longRuns(text: string): Generator<[start: number, end: number]> {
  let from = 0;
  while (from + MIN_LENGTH <= text.length) {
    let at = from + MIN_LENGTH - 1;
    while (at >= from && isTokenCharacter(text, at)) at -= 1;
    if (at >= from) {
      from = at + 1;
      continue;
    }
    let end = from + MIN_LENGTH;
    while (end < text.length && isTokenCharacter(text, end)) end += 1;
    yield [from, end];
    from = end + 1;
  }
}

/** After what an escape, a code for a colour or a dash before the token adds to its word: `\nghp_…`, `%3Dghp_…`. */
function tokenStart(text: string, start: number): number {
  const before = text.charAt(start - 1);
  let at = start;
  if (before === '\\') at += 1;
  else if (before === '%') at += 2;
  else if (before === '[' || before === ';') at += /^\d{0,3}m/.exec(text.slice(start, start + 4))?.[0].length ?? 0;
  while (text.charAt(at) === '-') at += 1;
  return at;
}

/** After the next `/`, `.`, `+` or `~` of the word. */
function nextStart(text: string, at: number, end: number): number {
  let next = at + 1;
  while (next < end && IS_DIVIDER[text.charCodeAt(next - 1)] !== 1) next += 1;
  return next;
}
