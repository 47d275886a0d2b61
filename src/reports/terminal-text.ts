import { escapeInvisible, sanitizeLine } from '../core/sanitize.ts';

export { escapeInvisible, sanitizeLine };

/**
 * Text from a trace on a terminal. Traces are hostile: nothing in them may move the cursor, set colours, turn the
 * direction of reading or take more room than it seems to.
 */

const WIDE =
  /^[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /^\p{Emoji_Presentation}|\uFE0F|\p{Regional_Indicator}/u;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\u0020-\u007E]*$/;

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function widthOf(character: string): number {
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) || EMOJI.test(character) ? 2 : 1;
}

/** Columns that a text without control characters takes on a terminal. */
export function width(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of characters.segment(text)) columns += widthOf(segment);
  return columns;
}

/** At most that number of columns of a text, cut behind a word where one ends not far back, with `…` where something is left out. */
export function truncate(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  const cut = take(text, columns - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > cut.length * 0.6 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The end of a path, which says more than its beginning. */
export function truncateStart(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  const reversed = [...characters.segment(text)].map(({ segment }) => segment).reverse();
  let room = columns - 1;
  const kept = reversed.filter((character) => {
    room -= widthOf(character);
    return room >= 0;
  });
  return `…${kept.reverse().join('')}`;
}

function take(text: string, columns: number): string {
  let room = columns;
  let taken = '';
  for (const { segment } of characters.segment(text)) {
    room -= widthOf(segment);
    if (room < 0) break;
    taken += segment;
  }
  return taken;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - width(text))) + text;
}

/** Lines of a limited width, broken between words; a longer word is broken inside. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (width(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    while (width(word) > columns) {
      const part = take(word, Math.max(2, columns));
      lines.push(part);
      word = word.slice(part.length);
    }
    line = word;
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}
