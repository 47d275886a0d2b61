import type { SecretFinder, SecretMatch } from './secret-match.ts';
import { entropy } from './value-checks.ts';

/** RFC 7468, and OpenPGP (RFC 9580). */
const BEGIN = /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = '-----END';

/** The longest key with its headers, escapes and the prefixes of its lines: one of 8192 bits has 6,400 characters. */
const MAX_LENGTH = 24_000;

/** The first line of Base64, after line breaks, headers such as `Proc-Type: …` and prefixes such as `12→`. */
const FIRST_LINE = /(?:\\[nr])?([A-Za-z0-9+/]{40,})/;
const MAX_HEADER_LENGTH = 800;

/** A further line, after a line break and the prefix of the line; the last may be short. */
const NEXT_LINE = /[^A-Za-z0-9+/=](?:(?!-----)[\s\S]){0,119}?[A-Za-z0-9+/]{40,}={0,2}/y;
const LAST_LINE = /(?:\\{1,8}[nr]|\r|\n)[^A-Za-z0-9+/=-]{0,16}[A-Za-z0-9+/]{4,39}={0,2}/y;

/** Private keys, also with escaped line breaks, with a prefix on each line, or cut off. */
export const findPrivateKeys: SecretFinder = function* (text): Generator<SecretMatch> {
  if (!text.includes('PRIVATE KEY')) return;
  let free = 0;
  // Searched once for all keys before it.
  let nextEnd = -1;
  for (const begin of text.matchAll(BEGIN)) {
    const bodyStart = begin.index + begin[0].length;
    if (bodyStart < free) continue;
    const dashes = text.indexOf('-----', bodyStart);
    const limit = Math.min(bodyStart + MAX_HEADER_LENGTH, dashes < 0 ? text.length : dashes);
    const first = FIRST_LINE.exec(text.slice(bodyStart, limit));
    if (!first) continue;
    const start = bodyStart + first.index + first[0].length - (first[1] ?? '').length;
    if (nextEnd !== Number.POSITIVE_INFINITY && nextEnd < start) {
      const found = text.indexOf(END, start);
      nextEnd = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    const isComplete = nextEnd - start <= MAX_LENGTH && !text.slice(start, nextEnd).includes('-----BEGIN');
    const end = isComplete ? nextEnd : endOfLines(text, start);
    if (entropy(text.slice(start, end)) <= 4.5) continue;
    free = end;
    yield { kind: 'private key', start, end, isReported: true };
  }
};

function endOfLines(text: string, start: number): number {
  let end = start;
  while (/[A-Za-z0-9+/=]/.test(text.charAt(end))) end += 1;
  for (;;) {
    NEXT_LINE.lastIndex = end;
    if (end - start > MAX_LENGTH || !NEXT_LINE.test(text)) break;
    end = NEXT_LINE.lastIndex;
  }
  LAST_LINE.lastIndex = end;
  return LAST_LINE.test(text) ? LAST_LINE.lastIndex : end;
}
