/** Parts of expressions for what escapes add between a name and its value. */

/** A code that colours text on a terminal, as a control character or escaped. */
const COLOUR = String.raw`(?:\x1b|\\{1,15}(?:u001[bB]|x1[bB]|e|033))\[[\d;]{0,8}m`;

/** Quotation marks, also as often escaped as in JSON in JSON in JSON, and the marks of Markdown and colours. */
export const QUOTES = String.raw`(?:\\{0,31}["'\`]|\*{1,2}|${COLOUR}){0,4}`;

/** Blanks and line breaks, also escaped. */
export const BREAKS = String.raw`(?:[ \t\r\n]|\\{1,15}[nrt]){0,24}`;

/** No word begins within another, except after an escaped line break or a colour: `\nToken`, `\u001b[32mToken`. */
export const WORD_START = String.raw`(?<!(?<!\\|\[[\d;]{0,8})[A-Za-z])`;

const CLOSING = /[^\s"'`]/;

/** The quotation mark that a text ends with, before any escapes of it; empty if it ends otherwise. */
export function openQuote(lead: string): string {
  const last = lead.at(-1) ?? '';
  return CLOSING.test(last) ? '' : last.trim();
}
