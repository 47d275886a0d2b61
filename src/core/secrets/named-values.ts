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
}

const strong = (kind: string, form: RegExp): SecretName => ({ kind, form, isStrong: true });
const weak = (kind: string, form: RegExp): SecretName => ({ kind, form, isStrong: false });

const PASSWORD = strong('password', /passw(?:or)?d$/i);

/** The first that fits names the kind. The strong ones follow the rule generic-api-key of gitleaks. */
const NAMES: readonly SecretName[] = [
  PASSWORD,
  weak('password', /(?:passphrase|passcode|passwd|pwd|pass)$/i),
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
  weak('credentials', /(?:credentials?|auth)$/i),
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

/** The longest value that is read: a session token of AWS has about 1,000 characters. */
const MAX_VALUE_LENGTH = 4000;

/** Values that only their name makes a secret. */
export const findNamedValues: SecretFinder = function* (text): Generator<SecretMatch> {
  let free = 0;
  for (const word of text.matchAll(LAST_WORD)) {
    const end = word.index + word[0].length;
    if (word.index < free || !continuesAt(SUFFIX, text, end)) continue;
    const match =
      word[0].length === 13 ? authorization(text, SUFFIX.lastIndex) : namedValue(text, end, SUFFIX.lastIndex);
    if (!match) continue;
    free = match.end;
    yield match;
  }
};

function continuesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

function namedValue(text: string, nameEnd: number, suffixEnd: number): SecretMatch | null {
  const before = text.slice(Math.max(0, nameEnd - NAME_LENGTH), nameEnd);
  const name = NAMES.find(({ form }) => form.test(before));
  if (!name) return null;
  SEPARATOR.lastIndex = suffixEnd;
  const groups = SEPARATOR.exec(text)?.groups;
  // After a weak name, `token generated: …` and `pass a class: …` say nothing.
  if (!groups || (!name.isStrong && groups.words && !groups.verb && !/^ string$/.test(groups.words))) return null;
  const start = SEPARATOR.lastIndex;
  const lead = text.slice(suffixEnd, start);
  const value = readValue(text, start, openQuote(lead), /[?&#;]/.test(text.charAt(nameStart(text, nameEnd) - 1)));
  if (isExpression(value, lead)) return null;
  const found = (isReported: boolean): SecretMatch => ({
    kind: name.kind,
    start,
    end: start + value.length,
    isReported,
  });
  if (name.kind === 'password') {
    if (name === PASSWORD && (looksLikePassword(value) || (value.length >= 16 && looksRandom(value))))
      return found(true);
    return looksLikeNamedPassword(value) ? found(false) : null;
  }
  if (name.kind === 'credentials') return isCredentials(value) ? found(false) : null;
  if (value.length < 16 || /\s/.test(value)) return null;
  if (name.isStrong && looksRandom(value)) return found(true);
  return looksRandomWithName(value) && (name.isStrong || value.length >= 20) ? found(false) : null;
}

/** Where the identifier begins that ends at `end`. */
function nameStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < NAME_LENGTH && /[\w.-]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Up to the closing quotation mark, or without quotation marks up to the end of the word. */
function readValue(text: string, start: number, quote: string, isInQuery: boolean): string {
  const rest = text.slice(start, start + MAX_VALUE_LENGTH);
  if (quote !== '') {
    const end = rest.indexOf(quote);
    const line = rest.search(/[\r\n]/);
    const inQuotes = end < 0 || (line >= 0 && line < end) ? '' : rest.slice(0, end).replace(/\\+$/, '');
    return /["'`\\]/.test(inQuotes) ? '' : inQuotes;
  }
  const [word = ''] = (isInQuery ? /^[^\s"'`<>\\,;|&#]*/ : /^[^\s\p{Cc}"'`<>\\,;|]*/u).exec(rest) ?? [];
  const group = /^[a-z]{4}(?: [a-z]{4}){3}(?![\w-])/.exec(rest)?.[0];
  return group ?? word.replace(/&[\w.-]{1,40}=.*$/, '').replace(/[)\]}.:!?*]+$/, '');
}

/** A variable, a call, a hash, a path, another assignment or a URL instead of a value. */
function isExpression(value: string, lead: string): boolean {
  return (
    /^(?:\$[A-Za-z_{(]|\$\d[aby]?\$|\{\{|<|-----|[\w+.-]{1,20}:\/\/|(?:sha\d{1,3}|md5|data)[:-])/i.test(value) ||
    /^(?:process\.env|os\.environ|import\.meta)\b|^[A-Za-z_]\w{0,40}=[^=]|^[A-Za-z_][\w.]{0,80}\([^)]*\)$/.test(
      value,
    ) ||
    (openQuote(lead) === '' && /^[A-Za-z_][\w.]{0,80}[([]|\($/.test(value))
  );
}

/** `user:password` in Base64, as in the header of RFC 7617 and in the configuration of Docker. */
function isCredentials(value: string): boolean {
  return /^[\w+/-]{12,}={0,2}$/.test(value) && /^[\x20-\x7e]{1,80}:[\x20-\x7e]{4,400}$/.test(decodeBase64(value));
}

function authorization(text: string, nameEnd: number): SecretMatch | null {
  if (!continuesAt(SEPARATOR, text, nameEnd)) return null;
  const lead = text.slice(nameEnd, SEPARATOR.lastIndex);
  // In Python, `f'Bearer …'`.
  let start = SEPARATOR.lastIndex;
  if (/[fru]['"]/i.test(text.slice(start, start + 2))) start += 2;
  const quote = start === SEPARATOR.lastIndex ? openQuote(lead) : text.charAt(start - 1);
  if (continuesAt(SCHEME, text, start)) start = SCHEME.lastIndex;
  const value = readValue(text, start, quote, false);
  if (value.length < 16 || isExpression(value, lead)) return null;
  const isSecret = isCredentials(value) || looksRandomWithName(value);
  return isSecret ? { kind: 'access token', start, end: start + value.length, isReported: looksRandom(value) } : null;
}
