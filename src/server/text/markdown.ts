import type { FileLocation } from '../../protocol/messages.ts';
import { visibleText } from './visible-text.ts';

/** A reason longer than this is read where it is whole: in the report. */
const MAX_LENGTH = 600;

/** What begins or ends mark-up, HTML, an entity, a table, a formula or an address of mail within a line. */
const INLINE_MARKUP = /[\\`*_{}[\]<>&~!#|$@]/g;
/** What begins a list at the beginning of a line. */
const LEADING_MARKUP = /^(?:[+-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** What editors make a link of without any mark-up. */
const AUTOLINK = /:(?=\/\/)|(?<=www)\./gi;

/** Text of a trace or a model as Markdown that shows it and nothing else: no link, no image, no mark-up, no HTML. */
export function escapeMarkdown(text: string, longest = MAX_LENGTH): string {
  return visibleText(text, longest)
    .replace(INLINE_MARKUP, '\\$&')
    .replace(AUTOLINK, '\\$&')
    .replace(LEADING_MARKUP, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** A link to a place in a file; lines and columns are one-based there. */
export function locationLink({ uri, range: { start } }: FileLocation, words: string): string {
  return `[${escapeMarkdown(words, 120) || 'here'}](${encodeLinkTarget(uri)}#L${start.line + 1},${start.character + 1})`;
}

/** What could end the target or be read as an entity in it is encoded; the rest is so in every URI. */
function encodeLinkTarget(uri: string): string {
  return uri.replace(/[()[\]<>&\\\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
