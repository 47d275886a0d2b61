import { createContext } from 'react';
import type { Citation, ReportEvidence, TextField, TextLocation } from '../src/protocol/report-values.ts';
import type { Highlight } from './highlights.ts';

/** What of a turn's transcript is cited, by the address of the text in the turn. */
export type CitationHighlights = ReadonlyMap<string, readonly Highlight[]>;

/** Longer passages are marked at their side: nobody reads an underlined page. */
export const MAX_HIGHLIGHT_LENGTH = 400;

const NONE: CitationHighlights = new Map();
export const CitationsContext = createContext<CitationHighlights>(NONE);

export function textLocationKey({ step, field, item }: Omit<TextLocation, 'turn'>): string {
  return `${step ?? 'turn'}/${field}/${item}`;
}

/**
 * @param cited what is said of the turn. @param chosen what the person looks at.
 * @param found what was looked for, where it lies behind what rows show.
 */
export function collectCitations(
  turn: number,
  cited: readonly ReportEvidence[],
  chosen: readonly ReportEvidence[],
  found: Citation | null,
): CitationHighlights {
  const ranges = new Map<string, Highlight[]>();
  const add = (passage: Citation | null, kind: Highlight['kind']): void => {
    if (!passage || passage.turn !== turn) return;
    const key = textLocationKey(passage);
    const range = { from: passage.start, to: passage.end, kind };
    const known = ranges.get(key);
    if (known) known.push(range);
    else ranges.set(key, [range]);
  };
  for (const { passage } of chosen) add(passage, 'chosen');
  for (const { passage } of cited) add(passage, 'cited');
  add(found, 'found');
  return ranges.size === 0 ? NONE : ranges;
}

/** Whether something of these kinds cites a text of a step. @param field null: any, or the step as such. */
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
