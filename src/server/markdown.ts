import { plain } from '../core/plain-text.ts';
import type { Place } from '../protocol/messages.ts';

/** A reason longer than this is read where it is whole: in the report. */
const LONGEST = 600;

/** Text of a trace or a model as Markdown that shows it and nothing else: no link, no image, no mark-up, no HTML. */
export function escaped(text: string): string {
  return plain(text)
    .replace(/[\\`*_{}[\]()#+\-.!|~>$:@]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
}

/** As `escaped`, cut to what is read in passing. */
export function paragraph(text: string): string {
  return escaped(text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`);
}

/** A link to a place in a file; lines and columns are one-based there. */
export function linkTo({ uri, range: { start } }: Place, words: string): string {
  // A URI of a file has neither parentheses nor spaces once these are encoded.
  const target = uri.replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${escaped(words) || 'here'}](${target}#L${start.line + 1},${start.character + 1})`;
}
