import { createContext } from 'react';
import type { TextField } from '../src/core/text-field.ts';
import type { Citation, ReportEvidence, TextLocation } from '../src/protocol/report-values.ts';
import type { Highlight } from './highlights.ts';

/** Cited ranges of a turn's transcript, by `textLocationKey`. */
export type CitationHighlights = ReadonlyMap<string, readonly Highlight[]>;

/** Longer citations, in characters, are marked with a bar at the side: a fully underlined page is hard to read. */
export const MAX_HIGHLIGHT_LENGTH = 400;

const NONE: CitationHighlights = new Map();
export const CitationsContext = createContext<CitationHighlights>(NONE);

export function textLocationKey({ step, field, item }: Omit<TextLocation, 'turn'>): string {
  return `${step ?? 'turn'}/${field}/${item}`;
}

/**
 * Collects the highlights of a turn.
 *
 * @param cited evidence of the turn's problems. @param chosen evidence of the selected item.
 * @param searchHit the search match in the turn, if it lies beyond the loaded excerpts.
 */
export function collectCitations(
  turn: number,
  cited: readonly ReportEvidence[],
  chosen: readonly ReportEvidence[],
  searchHit: Citation | null,
): CitationHighlights {
  const ranges = new Map<string, Highlight[]>();
  const add = (citation: Citation | null, kind: Highlight['kind']): void => {
    if (!citation || citation.turn !== turn) return;
    const key = textLocationKey(citation);
    const range = { from: citation.start, to: citation.end, kind };
    const known = ranges.get(key);
    if (known) known.push(range);
    else ranges.set(key, [range]);
  };
  for (const { citation } of chosen) add(citation, 'chosen');
  for (const { citation } of cited) add(citation, 'cited');
  add(searchHit, 'found');
  return ranges.size === 0 ? NONE : ranges;
}

/** Whether a highlight of one of these kinds is in a step. @param field null: any text, or the step as a whole. */
export function citesStep(
  citations: CitationHighlights,
  step: number,
  field: TextField | null,
  kinds: readonly Highlight['kind'][],
): boolean {
  for (const [key, ranges] of citations) {
    const isHere = field === null ? key.startsWith(`${step}/`) : key.startsWith(`${step}/${field}/`);
    if (isHere && ranges.some(({ kind }) => kinds.includes(kind))) return true;
  }
  return false;
}
