import { BREAKS, QUOTES, WORD_START } from './escapes.ts';
import type { SecretFinder, SecretMatch } from './secret-match.ts';
import { looksLikeNamedPassword, looksLikeUrlPassword, looksRandom, looksRandomWithName } from './value-checks.ts';

/** A secret that its position in a request identifies: a header, a cookie or a part of a URL. */
interface RequestPart {
  readonly kind: string;
  /** Text that every match contains: a text without it is not searched. */
  readonly requiredText: string;
  /** With a group `value`; linear. */
  readonly regex: RegExp;
  readonly isSecret: (value: string) => boolean;
  readonly isReported: boolean;
}

/** A word of a URL that is long enough to be a secret. */
const VALUE = String.raw`(?<value>[\w.~+/%:=-]{16,4000})`;

const isLongRandom = (value: string) => value.length >= 20 && looksRandomWithName(value);

const PARTS: readonly RequestPart[] = [
  // RFC 3986, section 3.2.1. A password for the local machine is harmless.
  {
    kind: 'password in a URL',
    requiredText: '://',
    regex:
      /(?<=\w):\/\/[^\s:@/?#"'`<>]{0,100}:(?<value>[^\s@/"'`<>{}$*\\]{8,400})@(?!127\.|0\.0\.|[\w.-]{0,100}\b(?:example|local(?:host|domain)?|test)\b)[\w-]{1,63}\.\w/dgi,
    isSecret: looksLikeUrlPassword,
    isReported: true,
  },
  {
    kind: 'token in a URL',
    requiredText: '://',
    regex: /(?<=\w):\/\/(?<value>[\w.~%+-]{20,400})@[\w-]{1,63}\.\w/dg,
    isSecret: looksRandomWithName,
    isReported: false,
  },
  // RFC 6750, section 2.1
  {
    kind: 'access token',
    requiredText: 'Bearer ',
    regex: /\bBearer {1,2}(?<value>[A-Za-z0-9][\w.~+/-]{14,150}[\w+/-]={0,2})(?![\w~+/=([-]|\.\w)/dg,
    isSecret: looksRandom,
    isReported: true,
  },
  {
    kind: 'access token',
    requiredText: '',
    regex: /\bBearer[ \t]{1,2}(?<value>[A-Za-z0-9][\w.~+/-]{14,4000}={0,2})(?![\w([-])/dgi,
    isSecret: isLongRandom,
    isReported: false,
  },
  // RFC 6749, section 4.1.2, in the query of a redirect
  queryPart('authorization code', 'code'),
  // Amazon S3, Google Cloud Storage, CloudFront and Azure: what lets its holder read a file
  queryPart('signature of a URL', 'X-Amz-Signature|X-Goog-Signature|Signature|sig'),
  // Names that `findNamedValues` takes for weak
  queryPart('key in a URL', 'key|apikey|sid|session'),
  // `curl -u user:password`
  {
    kind: 'password',
    requiredText: '-',
    regex: /(?:\s-u|--(?:proxy-)?user)[ =]{1,2}["']?[\w.@+-]{1,64}:(?<value>[^\s"'`\\]{8,400})/dg,
    isSecret: (value) => looksLikeNamedPassword(value) || isLongRandom(value),
    isReported: false,
  },
];

function queryPart(kind: string, names: string): RequestPart {
  const regex = new RegExp(`[?&#](?:amp;)?(?:${names})=${VALUE}`, 'dgi');
  return { kind, requiredText: '=', regex, isSecret: isLongRandom, isReported: false };
}

/** The header of RFC 6265, up to the end of its line. */
const COOKIES = new RegExp(
  String.raw`${WORD_START}cookie${QUOTES}[ \t]{0,8}[:=,]${BREAKS}${QUOTES}(?<pairs>[^\r\n"'\`]{16,4096})`,
  'dgi',
);
const COOKIE_VALUE = /(?<==)[^\s;,\\]{16,}/g;

/** Keys and passwords in headers, cookies and URLs. */
export const findInRequests: SecretFinder = function* (text): Generator<SecretMatch> {
  for (const { kind, requiredText, regex, isSecret, isReported } of PARTS) {
    // Nearly no text has any, and `matchAll` copies the expression.
    if (!text.includes(requiredText) || text.search(regex) < 0) continue;
    for (const { indices } of text.matchAll(regex)) {
      const [start, end] = indices?.groups?.value ?? [0, 0];
      if (isSecret(text.slice(start, end))) yield { kind, start, end, isReported };
    }
  }
  if (text.search(COOKIES) < 0) return;
  for (const { indices } of text.matchAll(COOKIES)) {
    const [from, to] = indices?.groups?.pairs ?? [0, 0];
    for (const value of text.slice(from, to).matchAll(COOKIE_VALUE)) {
      const start = from + value.index;
      if (looksRandomWithName(value[0])) {
        yield { kind: 'cookie', start, end: start + value[0].length, isReported: false };
      }
    }
  }
};
