/** Ranges of a text that stand out. */

/**
 * `chosen`: what the person looks at cites it; `found`: it was looked for; `cited`: something that is said of it cites
 * it.
 */
const HIGHLIGHT_KINDS = ['chosen', 'found', 'cited'] as const;
type HighlightKind = (typeof HIGHLIGHT_KINDS)[number];

export interface Highlight {
  readonly from: number;
  readonly to: number;
  readonly kind: HighlightKind;
}

/** A part of a text that stands out as a whole, or not at all. */
export interface HighlightPart {
  readonly text: string;
  readonly at: number;
  readonly kind: HighlightKind | null;
}

/** At most so many occurrences are marked in one text. */
const MAX_OCCURRENCES = 200;

/** Where a text says what somebody looks for, whatever the case of its letters. */
export function findOccurrences(text: string, sought: string): Highlight[] {
  if (sought === '') return [];
  const ranges: Highlight[] = [];
  for (const { 0: found, index } of text.matchAll(new RegExp(escapeRegExp(sought), 'giu'))) {
    ranges.push({ from: index, to: index + found.length, kind: 'found' });
    if (ranges.length === MAX_OCCURRENCES) break;
  }
  return ranges;
}

function escapeRegExp(text: string): string {
  return text.toWellFormed().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * A text in parts. Where ranges overlap, the kind that comes first stands out.
 *
 * @param at where the text stands in the source that the ranges are of.
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
    const over = inside.filter((range) => range.from <= from && range.to >= to);
    const kind = HIGHLIGHT_KINDS.find((one) => over.some((range) => range.kind === one)) ?? null;
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { ...last, text: last.text + text.slice(from - at, to - at) };
    else parts.push({ text: text.slice(from - at, to - at), at: from, kind });
  }
  return parts;
}
