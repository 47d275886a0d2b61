/** Ranges of a text that stand out. */

/**
 * `chosen`: what the person looks at cites it; `found`: it was looked for; `cited`: something that is said of it cites
 * it.
 */
const KINDS = ['chosen', 'found', 'cited'] as const;
type Kind = (typeof KINDS)[number];

export interface Range {
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
}

/** A part of a text that stands out as a whole, or not at all. */
export interface Part {
  readonly text: string;
  readonly at: number;
  readonly kind: Kind | null;
}

/** At most so many occurrences are marked in one text. */
const MOST = 200;

/** Where a text says what somebody looks for, whatever the case of its letters. */
export function occurrences(text: string, sought: string): Range[] {
  if (sought === '') return [];
  const ranges: Range[] = [];
  for (const { 0: found, index } of text.matchAll(new RegExp(escaped(sought), 'giu'))) {
    ranges.push({ from: index, to: index + found.length, kind: 'found' });
    if (ranges.length === MOST) break;
  }
  return ranges;
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * A text in parts. Where ranges overlap, the kind that comes first stands out.
 *
 * @param at where the text stands in the source that the ranges are of.
 */
export function partsOf(text: string, at: number, ranges: readonly Range[]): Part[] {
  const end = at + text.length;
  const inside = ranges.filter(({ from, to }) => from < end && to > at && from < to);
  const edges = new Set([at, end]);
  for (const { from, to } of inside) edges.add(Math.max(at, from)).add(Math.min(end, to));
  const cuts = [...edges].sort((a, b) => a - b);
  const parts: Part[] = [];
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1];
    if (to === undefined) break;
    const over = inside.filter((range) => range.from <= from && range.to >= to);
    const kind = KINDS.find((one) => over.some((range) => range.kind === one)) ?? null;
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { ...last, text: last.text + text.slice(from - at, to - at) };
    else parts.push({ text: text.slice(from - at, to - at), at: from, kind });
  }
  return parts;
}
