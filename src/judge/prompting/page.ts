import type { Passage } from './passage.ts';
import type { Show } from './trace-text.ts';

/** At most so many characters are shown of where a passage comes from. */
const LONGEST_ORIGIN = 160;

/** Writes parts of prompts: lines of our own, which begin with the boundary, and text of the trace between them. */
export interface Page {
  /** A part, of what `heading`, `passage` and `block` gave. */
  part(...blocks: readonly string[]): string;
  heading(text: string): string;
  /** @param limit of its text, beside what the passage itself allows. */
  passage(passage: Passage, limit?: number, places?: readonly number[]): string;
  /** A passage without those around it: where it comes from stands before its text. */
  alone(passage: Passage, limit: number, places: readonly number[]): string;
  /** Text that is already as it is to be shown. */
  block(label: string, text: string): string;
  /** About so many characters stand around the text of a passage. */
  overhead(passage: Passage): number;
}

export function pageOf(boundary: string, show: Show): Page {
  const block = (label: string, text: string) => `${boundary} ${label}\n${text === '' ? '' : `${text}\n`}`;
  const shownOf = ({ text, longest }: Passage, limit: number, places: readonly number[]) =>
    show(text(), Math.min(limit, longest), places);
  return {
    part: (...blocks) => `${blocks.join('')}${boundary} end`,
    heading: (text) => `${boundary} == ${text}\n`,
    passage: (passage, limit = passage.longest, places = []) =>
      block(`[${passage.id}] ${passage.label}`, shownOf(passage, limit, places)),
    alone: (passage, limit, places) => {
      const from = passage.origin ? `From ${show(passage.origin(), LONGEST_ORIGIN)}:\n` : '';
      return block(`[${passage.id}] ${passage.label}`, `${from}${shownOf(passage, limit, places)}`);
    },
    block,
    overhead: ({ id, label }) => boundary.length + id.length + label.length + 6,
  };
}
