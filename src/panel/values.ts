import { MAX_NAME, MAX_SENTENCE } from './limits.ts';
import { truncate } from './text/excerpt.ts';

/** Values in the form that the panel gets. */

export function limitSentence(text: string): string {
  return truncate(text, MAX_SENTENCE);
}

export function limitName(text: string): string {
  return truncate(text, MAX_NAME);
}

/** A file can contain 1e999, which JSON cannot represent. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
