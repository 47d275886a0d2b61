/**
 * Text from a trace where a person reads it. Traces are hostile: nothing in them may move a cursor, set colours, turn the
 * direction of reading or be there without being seen.
 */

/** No text on one line is looked at further than this. */
const MAX_LENGTH = 2000;

/** `ESC [ … letter`, `ESC ] … BEL`, and the like, also in their one-character forms. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]/g;
/** Line breaks and other white space; the byte order mark is none. */
const SPACE = /(?:(?!\uFEFF)\s)+/g;
/** Controls, marks that turn the direction, and characters that show nothing; the joiner of emoji stays. */
const INVISIBLE =
  /[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Text as one line that only shows itself. */
export function sanitizeLine(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .replace(ESCAPES, '')
    .replace(SPACE, ' ')
    .replace(INVISIBLE, '')
    .trim();
}
