import type { Place } from '../../protocol/messages.ts';
import { visible } from './visible.ts';

/** A reason longer than this is read where it is whole: in the report. */
const LONGEST = 600;

/** What begins or ends mark-up, HTML, an entity, a table, a formula or an address of mail within a line. */
const INLINE = /[\\`*_{}[\]<>&~!#|$@]/g;
/** What begins a list at the beginning of a line. */
const LEADING = /^(?:[+-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** What editors make a link of without any mark-up. */
const ADDRESS = /:(?=\/\/)|(?<=www)\./gi;

/** Text of a trace or a model as Markdown that shows it and nothing else: no link, no image, no mark-up, no HTML. */
export function escaped(text: string, longest = LONGEST): string {
  return visible(text, longest)
    .replace(INLINE, '\\$&')
    .replace(ADDRESS, '\\$&')
    .replace(LEADING, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** A link to a place in a file; lines and columns are one-based there. */
export function linkTo({ uri, range: { start } }: Place, words: string): string {
  return `[${escaped(words, 120) || 'here'}](${target(uri)}#L${start.line + 1},${start.character + 1})`;
}

/** What could end the target or be read as an entity in it is encoded; the rest is so in every URI. */
function target(uri: string): string {
  return uri.replace(/[()[\]<>&\\\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
