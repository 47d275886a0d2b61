import { escapeRegExp } from '../src/core/text/escape-reg-exp.ts';

/**
 * Why a range of a text is highlighted, by precedence. `chosen`: cited by the selected item; `found`: a search match;
 * `cited`: cited by any problem.
 */
const HIGHLIGHT_KINDS = ['chosen', 'found', 'cited'] as const;
type HighlightKind = (typeof HIGHLIGHT_KINDS)[number];

export interface Highlight {
  readonly from: number;
  readonly to: number;
  readonly kind: HighlightKind;
}

/** A part of a text with one highlight kind, or none. */
export interface HighlightPart {
  readonly text: string;
  readonly at: number;
  readonly kind: HighlightKind | null;
}

/** The maximum number of search matches marked in one text. */
const MAX_OCCURRENCES = 200;

/** Finds a search text, ignoring case. */
export function findOccurrences(text: string, query: string): Highlight[] {
  if (query === '') return [];
  const ranges: Highlight[] = [];
  for (const { 0: match, index } of text.matchAll(new RegExp(escapeRegExp(query.toWellFormed()), 'giu'))) {
    ranges.push({ from: index, to: index + match.length, kind: 'found' });
    if (ranges.length === MAX_OCCURRENCES) break;
  }
  return ranges;
}

/**
 * Splits a text at the edges of highlights. Where they overlap, the kind with the highest precedence wins.
 *
 * @param at the offset of the text in the source that the ranges refer to.
 */
export function splitByHighlights(text: string, at: number, ranges: readonly Highlight[]): HighlightPart[] {
  const end = at + text.length;
  const inside = ranges.filter(({ from, to }) => from < end && to > at && from < to);
  const edges = new Set([at, end]);
  for (const { from, to } of inside) edges.add(Math.max(at, from)).add(Math.min(end, to));
  const cuts = [...edges].sort((a, b) => a - b);
  const parts: HighlightPart[] = [];
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1];
    if (to === undefined) break;
    const covering = inside.filter((range) => range.from <= from && range.to >= to);
    const kind = HIGHLIGHT_KINDS.find((candidate) => covering.some((range) => range.kind === candidate)) ?? null;
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { ...last, text: last.text + text.slice(from - at, to - at) };
    else parts.push({ text: text.slice(from - at, to - at), at: from, kind });
  }
  return parts;
}
