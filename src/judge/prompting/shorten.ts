/** A part of a text, in UTF-16 code units; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Characters that are shown before and after a relevant offset. */
const WINDOW_BEFORE = 80;
const WINDOW_AFTER = 160;

/** Of a note about omitted text. */
export const MAX_NOTE_LENGTH = 48;

const WINDOW = WINDOW_BEFORE + WINDOW_AFTER + MAX_NOTE_LENGTH;

/** A gap up to this length is shown if there is room: omitting it would save too little. */
const SHORT_GAP = 100;

/**
 * The parts of a text that fit into `limit` code units, notes included: its beginning and its end, and up to half of the limit
 * around relevant offsets. None of them splits a surrogate pair, and the gaps between them are longer than a note.
 *
 * @param limit at least `2 * MAX_NOTE_LENGTH`.
 * @param offsets of what is relevant, ascending.
 */
export function selectSpans(text: string, limit: number, offsets: readonly number[] = []): readonly TextSpan[] {
  if (text.length <= limit) return [{ start: 0, end: text.length }];
  const windows = Math.min(Math.floor(limit / 2 / WINDOW), offsets.length);
  const edges = limit - MAX_NOTE_LENGTH - windows * WINDOW;
  const head = Math.ceil((edges * 2) / 3);
  const tail = text.length - (edges - head);
  const around = offsets
    .filter((at) => at >= head && at < tail)
    .slice(0, windows)
    .map((at) => ({ start: Math.max(0, at - WINDOW_BEFORE), end: Math.min(text.length, at + WINDOW_AFTER) }));
  const merged = mergeSpans([{ start: 0, end: head }, ...around, { start: tail, end: text.length }], () => true);
  const shownLength = merged.reduce((sum, { start, end }) => sum + end - start, 0);
  let spare = limit - shownLength - (merged.length - 1) * MAX_NOTE_LENGTH;
  const spans = mergeSpans(merged, (gap) => {
    // A shown gap needs no note: a gap that is not longer than one always fits.
    const fits = gap <= SHORT_GAP && gap - MAX_NOTE_LENGTH <= spare;
    if (fits) spare -= gap - MAX_NOTE_LENGTH;
    return !fits;
  });
  return spans.map(({ start, end }) => ({ start: alignStart(text, start), end: alignEnd(text, end) }));
}

/** Merges spans that overlap, touch, or have a gap between them that is not omitted. */
function mergeSpans(spans: readonly TextSpan[], isOmitted: (gap: number) => boolean): readonly TextSpan[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const last = all.at(-1);
    if (last && (start <= last.end || !isOmitted(start - last.end))) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

function alignStart(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : at;
}

function alignEnd(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at));
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/**
 * The length to which texts must be shortened to fit into a budget together: short ones stay complete, and long ones share what
 * remains. Infinity if all of them fit.
 */
export function fairLimit(lengths: readonly number[], budget: number): number {
  const ascending = lengths.toSorted((a, b) => a - b);
  let left = budget;
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return Math.max(0, share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
