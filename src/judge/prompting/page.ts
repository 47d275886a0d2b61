import type { Passage } from './passage.ts';
import type { Show } from './trace-text.ts';

/** Writes parts of prompts: lines of our own, which begin with the boundary, and text of the trace between them. */
export interface Page {
  /** A part, of what `heading`, `passage` and `block` gave. */
  part(...blocks: readonly string[]): string;
  heading(text: string): string;
  /** @param limit of its text, beside what the passage itself allows. */
  passage(passage: Passage, limit?: number, places?: readonly number[]): string;
  /** Text that is already as it is to be shown. */
  block(label: string, text: string): string;
  /** About so many characters stand around the text of a passage. */
  overhead(passage: Passage): number;
}

export function pageOf(boundary: string, show: Show): Page {
  const block = (label: string, text: string) => `${boundary} ${label}\n${text === '' ? '' : `${text}\n`}`;
  return {
    part: (...blocks) => `${blocks.join('')}${boundary} end`,
    heading: (text) => `${boundary} == ${text}\n`,
    passage: ({ id, label, text, longest }, limit = longest, places = []) =>
      block(`[${id}] ${label}`, show(text(), Math.min(limit, longest), places)),
    block,
    overhead: ({ id, label }) => boundary.length + id.length + label.length + 6,
  };
}
