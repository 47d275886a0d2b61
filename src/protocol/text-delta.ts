import type { FileRange } from './messages.ts';

/** A change of a text, without the text: what stood in the range is gone, and this much stands in its place. */
export interface TextDelta {
  readonly range: FileRange;
  /** Line breaks in what was put there. */
  readonly lines: number;
  /** Characters behind the last of them, in UTF-16 code units. */
  readonly lastLength: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What a text comes to that is put in the place of another. It is read once, and nothing is split: it may be very long. */
export function toTextDelta({ start, end }: FileRange, text: string): TextDelta {
  let lines = 0;
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A carriage return belongs to its line break.
    if (code !== LINE_FEED && (code !== CARRIAGE_RETURN || text.charCodeAt(at + 1) === LINE_FEED)) continue;
    lines += 1;
    last = at + 1;
  }
  return {
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    lines,
    lastLength: text.length - last,
  };
}
