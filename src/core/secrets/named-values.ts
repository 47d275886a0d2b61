import { trimEnd } from '../text/trim-end.ts';
import { decodeBase64 } from './checksums.ts';
import { BREAKS, openQuote, QUOTES, WORD_START } from './escapes.ts';
import type { SecretFinder, SecretMatch } from './secret-match.ts';
import { looksLikeNamedPassword, looksLikePassword, looksRandom, looksRandomWithName } from './value-checks.ts';

/** A name that says what its value is. */
interface SecretName {
  readonly kind: string;
  /** Matches the end of what stands before the value's separator. */
  readonly form: RegExp;
  /** Whether almost only secrets are called so. */
  readonly isStrong: boolean;
  readonly judge: (value: string) => Judgement;
}

const strong = (kind: string, form: RegExp, judge = judgeStrong): SecretName => ({ kind, form, isStrong: true, judge });
const weak = (kind: string, form: RegExp, judge = judgeWeak): SecretName => ({ kind, form, isStrong: false, judge });

/** The first that fits names the kind. The strong ones follow the rule generic-api-key of gitleaks. */
const NAMES: readonly SecretName[] = [
  strong('password', /passw(?:or)?d$/i, judgePassword),
  weak('password', /(?:passphrase|passcode|pwd|pass)$/i, judgeWeakPassword),
  strong('API key', /api[\s_.-]?key$/i),
  strong('secret key', /secret[\s_.-]?(?:access[\s_.-]?)?key$/i),
  strong('client secret', /client[\s_.-]?secret$/i),
  strong('access token', /(?:access|auth|api|bearer|refresh)[\s_.-]?token$/i),
  strong('Azure storage key', /AccountKey$/),
  weak('private key', /private[\s_.-]?key$/i),
  weak(
    'secret key',
    /(?:access|account|admin|app|auth|client|cookie|crypto|deploy|encryption|hmac|integration|jwt|license|master|service|session|shared|signing|storage|subscription|webhook)[\s_.-]?key$/i,
  ),
  weak(
    'secret key',
    /[A-Z\d](?<!PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|IDEMPOTENCY|HOST|OBJECT|GROUP)_KEY$/,
  ),
  weak('secret', /secret$/i),
  // Not the tokens of pages, of language models and of trials, which are no secrets.
  weak(
    'token',
    /(?<!(?:page|next|prev|previous|sync|continuation|continue|cursor|start|end|resume|pagination|change|delta|skip|first|last|stop|new|special|max|min|total|prompt|completion|input|output|cached?|per|each|any|eos|bos|pad|unk|mask|sep|cls|trial)[\s_.-]?)token$/i,
  ),
  weak('token', /(?:^|[^A-Za-z])pat$/i),
  weak('credentials', /(?:credentials?|auth)$/i, judgeCredentials),
];

/** The last word of every name. */
const LAST_WORD = new RegExp(
  `passw(?:or)?d|passphrase|passcode|pwd|secret|token|key|authorization|credentials?|${WORD_START}(?:auth|pass|pat)(?![A-Za-z])`,
  'gi',
);

/** What may follow a name and belongs to it: `SECRET_KEY_BASE`, `API_KEY_2`; nothing else, as in `secret_name`. */
const SUFFIX =
  /(?:[_-]?(?:base|prod|production|staging|live|value|string|text|b64|base64|hex|old|new|current|\d{1,2}))?(?![\w-])/iy;

/** How far back a name is read. */
const NAME_LENGTH = 40;

/** `name = value`, `"name": "value"`, `name is value`, `{"name": "…", "value": "…"}`, `--name value` and the like. */
const SEPARATOR = new RegExp(
  [
    // Words between: "the API key of the shop is …".
    String.raw`${QUOTES}(?:(?<words>(?: (?!hash|digest|checksum|fingerprint|id\b|name|ur[il]\b)[\w-]{1,20}){0,4})${QUOTES}[ \t]{0,8}`,
    String.raw`(?:(?:=>|:=|->|={1,3}|\b(?<verb>is|was|to)\b)[ \t]{0,8}|:\*{0,2}${BREAKS})`,
    // A list, a table, or a record with the name as one value.
    String.raw`|[ \t]{0,8}[,|]?${BREAKS}${QUOTES}value${QUOTES}[ \t]{0,8}[:=]${BREAKS}`,
    String.raw`|[ \t]{0,8}[,|][ \t]{0,8}|>|[ \t]{1,4})${QUOTES}`,
  ].join(''),
  'iy',
);

/** RFC 9110, section 11.4, and schemes that services have added. */
const SCHEME = /(?:bearer|token|basic|apikey|api-key|bot|ssws|key|negotiate|digest|genie-?key|oauth)[ \t]{1,2}/iy;

/** Longer values are looked at once: names in one that is no secret are skipped, which keeps the search linear. */
const MAX_REREAD_LENGTH = 200;

/** What stands after a name. */
interface NamedValue {
  readonly kind: string;
  readonly start: number;
  readonly value: string;
  readonly judge: (value: string) => Judgement;
}

type Judgement = 'reported' | 'redacted' | null;

/** Values that only their name makes a secret. */
export const findNamedValues: SecretFinder = function* (text): Generator<SecretMatch> {
  if (text.search(LAST_WORD) < 0) return;
  let free = 0;
  for (const { 0: word, index } of text.matchAll(LAST_WORD)) {
    const end = index + word.length;
    if (index < free || !continuesAt(SUFFIX, text, end)) continue;
    const isHeader = word.length === AUTHORIZATION.length;
    const named = isHeader ? authorization(text, SUFFIX.lastIndex) : namedValue(text, end, SUFFIX.lastIndex);
    if (!named) continue;
    const { kind, start, value, judge } = named;
    const judgement = judge(value);
    if (judgement !== null || value.length > MAX_REREAD_LENGTH) free = start + value.length;
    if (judgement !== null) yield { kind, start, end: start + value.length, isReported: judgement === 'reported' };
  }
};

function continuesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

function namedValue(text: string, nameEnd: number, suffixEnd: number): NamedValue | null {
  const before = text.slice(Math.max(0, nameEnd - NAME_LENGTH), nameEnd);
  const name = NAMES.find(({ form }) => form.test(before));
  if (!name) return null;
  SEPARATOR.lastIndex = suffixEnd;
  const groups = SEPARATOR.exec(text)?.groups;
  const start = SEPARATOR.lastIndex;
  const lead = text.slice(suffixEnd, start);
  if (!groups || !separates(name, before, lead, groups)) return null;
  const value = readValue(text, start, openQuote(lead), /[?&#;]/.test(text.charAt(nameStart(text, nameEnd) - 1)));
  return isWord(value) || isExpression(value, lead) ? null : { kind: name.kind, start, value, judge: name.judge };
}

/** After a weak name, `token generated: …` and `pass the …` say nothing. */
function separates(
  { isStrong }: SecretName,
  before: string,
  lead: string,
  { words, verb }: Readonly<Record<string, string | undefined>>,
): boolean {
  if (isStrong) return true;
  // In Go, the type of a constant.
  if (words && !verb && words !== ' string') return false;
  return !/(?<!by)pass$/i.test(before) || /[=:,|>]/.test(lead);
}

function judgePassword(value: string): Judgement {
  if (looksLikePassword(value) || (value.length >= 16 && looksRandom(value))) return 'reported';
  return judgeWeakPassword(value);
}

function judgeWeakPassword(value: string): Judgement {
  return looksLikeNamedPassword(value) ? 'redacted' : null;
}

function judgeStrong(value: string): Judgement {
  if (value.length < 16 || /\s/.test(value)) return null;
  if (looksRandom(value)) return 'reported';
  return looksRandomWithName(value) ? 'redacted' : null;
}

function judgeWeak(value: string): Judgement {
  return value.length >= 20 && !/\s/.test(value) && looksRandomWithName(value) ? 'redacted' : null;
}

function judgeCredentials(value: string): Judgement {
  return isCredentials(value) ? 'redacted' : null;
}

function judgeAuthorization(value: string): Judgement {
  if (value.length < 16) return null;
  if (!isCredentials(value) && !looksRandomWithName(value)) return null;
  return looksRandom(value) ? 'reported' : 'redacted';
}

/** Where the identifier begins that ends at `end`. */
function nameStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < NAME_LENGTH && /[\w.-]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Up to the closing quotation mark, or without quotation marks up to the end of the word. */
function readValue(text: string, start: number, quote: string, isInQuery: boolean): string {
  if (quote !== '') {
    QUOTED.lastIndex = start;
    const inQuotes = QUOTED.exec(text)?.[0] ?? '';
    CLOSING.lastIndex = start + inQuotes.length;
    return CLOSING.exec(text)?.[0].endsWith(quote) ? inQuotes : '';
  }
  const read = isInQuery ? QUERY_VALUE : continuesAt(APP_PASSWORD, text, start) ? APP_PASSWORD : WORD;
  read.lastIndex = start;
  const word = read.exec(text)?.[0] ?? '';
  return trimEnd(word.replace(/&[\w.-]{1,40}=[\s\S]*$/, ''), /[)\]}.:!?*]/);
}

/** A session token of AWS has about 1,000 characters. */
const QUOTED = /[^"'`\\\r\n]{0,4000}/y;
const CLOSING = /\\{0,31}["'`]/y;
const WORD = /[^\s\p{Cc}"'`<>\\,;|]{0,1500}/uy;
const QUERY_VALUE = /[^\s"'`<>\\,;|&#]{0,1500}/y;
/** Google shows passwords for one app with blanks in between. */
const APP_PASSWORD = /[a-z]{4}(?: [a-z]{4}){3}(?![\w-])/y;

/** Nearly every value of a sentence: a cheap test before all others. */
function isWord(value: string): boolean {
  return value.length < 8 || /^[A-Za-z]*$/.test(value);
}

/** A variable, a call, a hash, a path, a constant, another assignment or a URL instead of a value. */
function isExpression(value: string, lead: string): boolean {
  if (NOT_A_VALUE.test(value)) return true;
  return openQuote(lead) === '' && CODE.test(value);
}

const NOT_A_VALUE = new RegExp(
  [
    String.raw`^(?:\$[A-Za-z_{(]|\$\d[aby]?\$|\{\{|-----|[\w+.-]{1,20}:\/\/|(?:sha\d{1,3}|md5|data)[:-])`,
    String.raw`^(?:process\.env|os\.environ|import\.meta)\b`,
    // An assignment, a call, a constant, a placeholder, a regular expression.
    String.raw`^[A-Za-z_]\w{0,40}=[^=]`,
    String.raw`^[A-Za-z_][\w.]{0,80}\([^)]*\)$`,
    '^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$',
    String.raw`<\w+>|\[[\w-]\w*-[\w-]+\]`,
  ].join('|'),
);

/** Without quotation marks, an expression of a program or a link of Markdown. */
const CODE =
  /^[A-Za-z_][\w.]{0,80}[([]|[([]$|\]\(|&&|===|^\/(?:[a-z][a-z.-]{0,30}\/|[\^[(])|^[A-Za-z_]\w{0,30}(?:\.[A-Za-z_]\w{0,30}){1,8}$/;

/** `user:password` in Base64, as in the header of RFC 7617 and in the configuration of Docker. */
function isCredentials(value: string): boolean {
  return /^[\w+/-]{12,}={0,2}$/.test(value) && /^[\x20-\x7e]{1,80}:[\x20-\x7e]{4,400}$/.test(decodeBase64(value));
}

const AUTHORIZATION = 'authorization';

function authorization(text: string, nameEnd: number): NamedValue | null {
  if (!continuesAt(SEPARATOR, text, nameEnd)) return null;
  const lead = text.slice(nameEnd, SEPARATOR.lastIndex);
  // In Python, `f'Bearer …'`.
  let start = SEPARATOR.lastIndex;
  if (/[fru]['"]/i.test(text.slice(start, start + 2))) start += 2;
  const quote = start === SEPARATOR.lastIndex ? openQuote(lead) : text.charAt(start - 1);
  if (continuesAt(SCHEME, text, start)) start = SCHEME.lastIndex;
  const value = readValue(text, start, quote, false);
  return isWord(value) || isExpression(value, lead)
    ? null
    : { kind: 'access token', start, value, judge: judgeAuthorization };
}
