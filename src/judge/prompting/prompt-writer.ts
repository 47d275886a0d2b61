import type { PromptExcerpt } from './excerpt.ts';
import type { RenderText } from './trace-text.ts';

/** At most so many characters are shown of where a passage comes from. */
const MAX_ORIGIN_LENGTH = 160;

/** Writes parts of prompts: lines of our own, which begin with the boundary, and text of the trace between them. */
export interface PromptWriter {
  /** A part, of what `heading`, `passage` and `block` gave. */
  part(...blocks: readonly string[]): string;
  heading(text: string): string;
  /** @param limit of its text, beside what the passage itself allows. */
  excerpt(passage: PromptExcerpt, limit?: number, places?: readonly number[]): string;
  /** A passage without those around it: where it comes from stands before its text. */
  standaloneExcerpt(passage: PromptExcerpt, limit: number, places: readonly number[]): string;
  /** Text that is already as it is to be shown. */
  block(label: string, text: string): string;
  /** About so many characters stand around the text of a passage. */
  overhead(passage: PromptExcerpt): number;
}

export function createPromptWriter(boundary: string, show: RenderText): PromptWriter {
  const block = (label: string, text: string) => `${boundary} ${label}\n${text === '' ? '' : `${text}\n`}`;
  const shownOf = ({ text, maxLength: longest }: PromptExcerpt, limit: number, places: readonly number[]) =>
    show(text(), Math.min(limit, longest), places);
  return {
    part: (...blocks) => `${blocks.join('')}${boundary} end`,
    heading: (text) => `${boundary} == ${text}\n`,
    excerpt: (passage, limit = passage.maxLength, places = []) =>
      block(`[${passage.id}] ${passage.label}`, shownOf(passage, limit, places)),
    standaloneExcerpt: (passage, limit, places) => {
      const from = passage.origin ? `From ${show(passage.origin(), MAX_ORIGIN_LENGTH)}:\n` : '';
      return block(`[${passage.id}] ${passage.label}`, `${from}${shownOf(passage, limit, places)}`);
    },
    block,
    overhead: ({ id, label }) => boundary.length + id.length + label.length + 6,
  };
}
