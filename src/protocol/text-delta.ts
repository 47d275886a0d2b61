import type { FileRange } from './messages.ts';

/** An edit without its text: the range is replaced by text of this size. */
export interface TextDelta {
  readonly range: FileRange;
  /** Line breaks in the inserted text. */
  readonly lines: number;
  /** Characters after the last line break, in UTF-16 code units. */
  readonly lastLength: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The delta of replacing a range by a text. Reads the text once, since it can be very long. */
export function toTextDelta({ start, end }: FileRange, text: string): TextDelta {
  let lines = 0;
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A carriage return is part of its line break.
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
