import { formatCount } from './format.ts';

/** Characters that count as one line in text without line breaks. */
const LINE_LENGTH = 80;

/** Text with at most this many more lines is not folded. */
const SPARE_LINES = 2;

/** The first lines of a text, limited in length; the whole text if little more is left. */
export function firstLines(text: string, lines: number): string {
  const beginning = cut(text, lines);
  return cut(text.slice(beginning.length + 1), SPARE_LINES) === text.slice(beginning.length + 1) ? text : beginning;
}

function cut(text: string, lines: number): string {
  const limit = lines * LINE_LENGTH;
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end < 0 || end > limit) return text.slice(0, limit);
  }
  return text.slice(0, end);
}

/** `28 more lines`, or the number of characters if the lines are long. */
export function hiddenLabel(text: string, visible: number): string {
  let lines = 0;
  for (let at = text.indexOf('\n', visible); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  const left = text.length - visible;
  return lines > 0 && left / lines < 4 * LINE_LENGTH
    ? formatCount(lines, 'more line')
    : formatCount(left, 'more character');
}
