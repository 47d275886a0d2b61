import { redactSecrets } from './secrets.ts';

/**
 * Makes text from a trace safe to show. Traces are hostile: their text must not move a cursor, set colours, change the
 * reading direction or contain invisible characters. Terminals and logs are copied, and kept by CI: they show no secrets.
 */

/** Longer text is cut. */
const MAX_LENGTH = 2000;
/** Read beyond that, so that a secret is recognized that would be shown in part. */
const SECRET_MARGIN = 8192;

/** `ESC [ … letter`, `ESC ] … BEL`, and the like, also in their one-character forms. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]/g;
/** Line breaks and other white space, except the byte order mark. */
const SPACE = /(?:(?!\uFEFF)\s)+/g;
/** Control characters, bidirectional marks and invisible characters, except the joiner of emoji. */
const INVISIBLE =
  /[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Text as one visible line without secrets. */
export function sanitizeLine(text: string): string {
  const line = text
    .slice(0, MAX_LENGTH + SECRET_MARGIN)
    .toWellFormed()
    .replace(ESCAPES, '')
    .replace(SPACE, ' ')
    .replace(INVISIBLE, '')
    .trim();
  // After invisible characters are gone, since they could hide a secret.
  return redactSecrets(line).slice(0, MAX_LENGTH).toWellFormed();
}

/** Text of several lines, without secrets and control characters. Cut at a length in UTF-16 code units. */
export function sanitizeText(text: string, maxLength: number): string {
  const lines = text
    .slice(0, maxLength + SECRET_MARGIN)
    .toWellFormed()
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, (character) => (/[\n\t]/.test(character) ? character : ''));
  return redactSecrets(lines).slice(0, maxLength).toWellFormed();
}

/** Everything of `INVISIBLE` that `JSON.stringify` writes as it is, in UTF-16 code units. */
const INVISIBLE_IN_JSON =
  /[\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]/g;

/** JSON text for a terminal or a diff: the same value, with invisible characters as escapes. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE_IN_JSON, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
