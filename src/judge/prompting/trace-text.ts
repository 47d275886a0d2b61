import { MAX_NOTE_LENGTH, selectSpans, type TextSpan } from './shorten.ts';

/** A secret in a text, and what kind it is of. */
export interface SecretSpan extends TextSpan {
  readonly kind: string;
}

/** The secrets in a text, in their order and without overlaps. */
export type FindSecrets = (text: string) => readonly SecretSpan[];

/** Text of a trace as a prompt shows it, in at most `limit` characters; `places` as in `spansToShow`. */
export type RenderText = (text: string, limit: number, places?: readonly number[]) => string;

/**
 * A secret is recognised although only a part of it would be shown: so far around that part it is looked for. A private
 * key of 8192 bits has 6,400 characters.
 */
const SECRET_MARGIN = 8192;

/** @param secretsIn null where nothing is to be taken out. */
export function createTextRenderer(secretsIn: FindSecrets | null): RenderText {
  const shownOf = (text: string, span: TextSpan) =>
    escapeInvisible(secretsIn ? redactSpan(text, span, secretsIn) : text.slice(span.start, span.end));
  return (text, limit, places) => {
    const shown = shortenText(text, limit, places, shownOf);
    // What had to be made visible has grown.
    return shown.length <= limit
      ? shown
      : shortenText(shown, limit, [], (whole, { start, end }) => whole.slice(start, end));
  };
}

function shortenText(
  text: string,
  limit: number,
  places: readonly number[] | undefined,
  shownOf: (text: string, span: TextSpan) => string,
): string {
  if (text.length > limit && limit < 2 * MAX_NOTE_LENGTH) {
    const start = shownOf(text, { start: 0, end: Math.max(0, limit - 1) });
    return `${start.slice(0, Math.max(0, limit - 1)).toWellFormed()}…`;
  }
  let shown = '';
  let from = 0;
  for (const span of selectSpans(text, limit, places)) {
    shown += omissionNote(span.start - from) + shownOf(text, span);
    from = span.end;
  }
  return shown + omissionNote(text.length - from);
}

/** No longer than `NOTE`. */
function omissionNote(count: number): string {
  return count === 0 ? '' : ` (… ${count} characters left out …) `;
}

function redactSpan(text: string, { start, end }: TextSpan, secretsIn: FindSecrets): string {
  const from = Math.max(0, start - SECRET_MARGIN);
  let shown = '';
  let at = start;
  for (const secret of secretsIn(text.slice(from, end + SECRET_MARGIN))) {
    const secretStart = Math.max(start, from + secret.start);
    const secretEnd = Math.min(end, from + trimTrailingEscape(text, from, secret));
    if (secretEnd <= at) continue;
    shown += `${text.slice(at, Math.max(at, secretStart))}(redacted: ${secret.kind})`;
    at = secretEnd;
  }
  return shown + text.slice(at, end);
}

/** A backslash behind a secret escapes the quotation mark that ends the string: without it the JSON would break. */
function trimTrailingEscape(text: string, from: number, { start, end }: TextSpan): number {
  let last = end;
  while (last > start && text.charAt(from + last - 1) === '\\') last -= 1;
  return last;
}

/** Controls, what turns the direction of text round, and characters that nobody sees but a model reads. */
const INVISIBLE =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** What is invisible as escapes, line breaks alike, and every surrogate part of a pair. */
export function escapeInvisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .toWellFormed();
}
