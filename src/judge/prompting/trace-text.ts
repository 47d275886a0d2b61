import { MAX_NOTE_LENGTH, selectSpans, type TextSpan } from './shorten.ts';

/** A secret in a text. */
export interface SecretSpan extends TextSpan {
  readonly kind: string;
}

/** Finds the secrets in a text, in order and without overlaps. */
export type FindSecrets = (text: string) => readonly SecretSpan[];

/** Renders text of a trace for a prompt, in at most `limit` characters; `offsets` as in `selectSpans`. */
export type RenderText = (text: string, limit: number, offsets?: readonly number[]) => string;

/**
 * How far around the shown text secrets are searched, so that one is recognized even if only a part of it would be shown. A private
 * key of 8192 bits has 6,400 characters.
 */
const SECRET_MARGIN = 8192;

/** @param findSecrets null: nothing is redacted. */
export function createTextRenderer(findSecrets: FindSecrets | null): RenderText {
  const renderSpan = (text: string, span: TextSpan) =>
    escapeInvisible(findSecrets ? redactSpan(text, span, findSecrets) : text.slice(span.start, span.end));
  return (text, limit, offsets) => {
    const shortened = shortenText(text, limit, offsets, renderSpan);
    // Escapes make the text longer.
    return shortened.length <= limit
      ? shortened
      : shortenText(shortened, limit, [], (whole, { start, end }) => whole.slice(start, end));
  };
}

function shortenText(
  text: string,
  limit: number,
  offsets: readonly number[] | undefined,
  renderSpan: (text: string, span: TextSpan) => string,
): string {
  if (text.length > limit && limit < 2 * MAX_NOTE_LENGTH) {
    const start = renderSpan(text, { start: 0, end: Math.max(0, limit - 1) });
    return `${start.slice(0, Math.max(0, limit - 1)).toWellFormed()}…`;
  }
  let output = '';
  let from = 0;
  for (const span of selectSpans(text, limit, offsets)) {
    output += omissionNote(span.start - from) + renderSpan(text, span);
    from = span.end;
  }
  return output + omissionNote(text.length - from);
}

/** At most `MAX_NOTE_LENGTH` long. */
function omissionNote(count: number): string {
  return count === 0 ? '' : ` (… ${count} characters left out …) `;
}

function redactSpan(text: string, { start, end }: TextSpan, findSecrets: FindSecrets): string {
  const from = Math.max(0, start - SECRET_MARGIN);
  let output = '';
  let position = start;
  for (const secret of findSecrets(text.slice(from, end + SECRET_MARGIN))) {
    const secretStart = Math.max(start, from + secret.start);
    const secretEnd = Math.min(end, from + trimTrailingEscape(text, from, secret));
    if (secretEnd <= position) continue;
    output += `${text.slice(position, Math.max(position, secretStart))}(redacted: ${secret.kind})`;
    position = secretEnd;
  }
  return output + text.slice(position, end);
}

/** A backslash after a secret escapes the quotation mark that ends the string: without it the JSON would be invalid. */
function trimTrailingEscape(text: string, from: number, { start, end }: TextSpan): number {
  let last = end;
  while (last > start && text.charAt(from + last - 1) === '\\') last -= 1;
  return last;
}

/** Control characters, direction marks, and characters that are invisible to people but not to a model. */
const INVISIBLE =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Escapes invisible characters, normalizes line breaks, and replaces lone surrogates. */
export function escapeInvisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .toWellFormed();
}
