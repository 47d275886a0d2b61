import type { PromptExcerpt } from './excerpt.ts';
import type { RenderText } from './trace-text.ts';

/** Of the origin of an excerpt, in characters. */
const MAX_ORIGIN_LENGTH = 160;

/** Writes parts of prompts: own lines, which begin with the boundary, and text of the trace between them. */
export interface PromptWriter {
  /** Begins the record: names its marker. */
  readonly opening: string;
  /** Joins what the other methods return. */
  part(...blocks: readonly string[]): string;
  heading(text: string): string;
  /** @param limit of its text, in addition to its own `maxLength`. */
  excerpt(excerpt: PromptExcerpt, limit?: number, offsets?: readonly number[]): string;
  /** An excerpt out of its context: its origin is written before its text. */
  standaloneExcerpt(excerpt: PromptExcerpt, limit: number, offsets: readonly number[]): string;
  /** Text that is rendered already. */
  block(label: string, text: string): string;
  /** About how many characters are written around the text of an excerpt. */
  overhead(excerpt: PromptExcerpt): number;
}

export function createPromptWriter(boundary: string, render: RenderText): PromptWriter {
  const block = (label: string, text: string) => `${boundary} ${label}\n${text === '' ? '' : `${text}\n`}`;
  const renderExcerpt = ({ text, maxLength }: PromptExcerpt, limit: number, offsets: readonly number[]) =>
    render(text(), Math.min(limit, maxLength), offsets);
  return {
    opening: `# The record\n\nIts marker is ${boundary}`,
    part: (...blocks) => `${blocks.join('')}${boundary} end`,
    heading: (text) => `${boundary} == ${text}\n`,
    excerpt: (excerpt, limit = excerpt.maxLength, offsets = []) =>
      block(`[${excerpt.id}] ${excerpt.label}`, renderExcerpt(excerpt, limit, offsets)),
    standaloneExcerpt: (excerpt, limit, offsets) => {
      const from = excerpt.origin ? `From ${render(excerpt.origin(), MAX_ORIGIN_LENGTH)}:\n` : '';
      return block(`[${excerpt.id}] ${excerpt.label}`, `${from}${renderExcerpt(excerpt, limit, offsets)}`);
    },
    block,
    overhead: ({ id, label }) => boundary.length + id.length + label.length + 6,
  };
}
