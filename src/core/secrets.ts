import { parseJson } from './json.ts';
import { findNamedValues } from './secrets/named-values.ts';
import { findPrivateKeys } from './secrets/private-keys.ts';
import { findInRequests } from './secrets/requests.ts';
import type { SecretFinder, SecretMatch } from './secrets/secret-match.ts';
import { findTokens } from './secrets/tokens.ts';
import { looksLikePassword, looksRandom } from './secrets/value-checks.ts';
import { trimEnd } from './text/trim-end.ts';
import { runFinder } from './text-pattern.ts';

/** Of two at one position, the first names the kind. */
const FINDERS: readonly SecretFinder[] = [findTokens, findPrivateKeys, findInRequests, findNamedValues];

/** Every secret except a password has a run at least as long as this. */
const hasLongRun = runFinder(/[^\s"'`<>\\,;|{}]/, 16);

const NAMES_PASSWORD = /pass|pwd/i;

const NAMES_SECRET = /pass|pwd|secret|token|key|auth|credential|cookie/i;

/**
 * Finds keys, tokens and passwords in a text, in order and without overlaps. Precision comes before recall: placeholders,
 * hashes, ids and code are not found.
 */
export function findSecrets(text: string): SecretMatch[] {
  if (!hasLongRun(text) && !text.includes('://') && !NAMES_PASSWORD.test(text)) return [];
  const secrets: SecretMatch[] = [];
  for (const match of FINDERS.flatMap((find) => [...find(text)]).sort((a, b) => a.start - b.start)) {
    const last = secrets.at(-1);
    if (!last || match.start >= last.end) secrets.push(match);
    // What overlaps is one secret, or the end of it would be left.
    else if (match.end > last.end) secrets[secrets.length - 1] = { ...last, end: match.end };
  }
  return secrets;
}

/** The secrets that nobody shows on purpose. */
export function findReportedSecrets(text: string): SecretMatch[] {
  return findSecrets(text).filter(({ isReported }) => isReported);
}

const WORDS = /[^\s"'`<>,;:()[\]{}|\\=]{8,}/g;
const MAX_LENGTH = 150;

/** The values in a text that look random, including ids and hashes. */
export function findRandomValues(text: string): string[] {
  const words = Array.from(text.matchAll(WORDS), ([word]) => (word.length > MAX_LENGTH ? '' : trimEnd(word, /[.?]/)));
  return words.filter((word) => looksLikePassword(word) || (word.length >= 16 && looksRandom(word)));
}

/** Replaces every secret in a text by its kind: `[REDACTED AWS access key]`. */
export function redactSecrets(text: string): string {
  let output = '';
  let from = 0;
  for (const { kind, start, end } of findSecrets(text)) {
    output += `${text.slice(from, start)}[REDACTED ${kind}]`;
    from = end;
  }
  return from === 0 ? text : output + text.slice(from);
}

/** Redacts a text that may be JSON, which it stays. */
export function redactJsonText(text: string): string {
  const redacted = redactSecrets(text);
  if (redacted === text) return text;
  const value = parseJson(text);
  return value === undefined ? redacted : JSON.stringify(value, redactJsonValue);
}

/** A replacer for `JSON.stringify` that redacts texts; the name of a value counts, as in `{ "password": "…" }`. */
export function redactJsonValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return redactByName(name, value) ?? redactSecrets(value);
}

/** Like `redactJsonValue` for a text that may be JSON, which it stays. */
export function redactNamedText(name: string, text: string): string {
  const redacted = redactJsonText(text);
  return redacted === text ? (redactByName(name, text) ?? text) : redacted;
}

/** Undefined where the name says nothing. */
function redactByName(name: string, text: string): string | undefined {
  const lead = `${name}=`;
  const redacted = NAMES_SECRET.test(name) ? redactSecrets(lead + text) : '';
  return redacted.startsWith(lead) ? redacted.slice(lead.length) : undefined;
}
