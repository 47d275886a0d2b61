/** A part of a text, in UTF-16 code units; `end` is behind its last. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** What is shown around a place that matters, before and behind it. */
const WINDOW_BEFORE = 80;
const WINDOW_AFTER = 160;

/** The longest note of what was left out. */
export const MAX_NOTE_LENGTH = 48;

const WINDOW = WINDOW_BEFORE + WINDOW_AFTER + MAX_NOTE_LENGTH;

/** A gap that is no longer is shown where there is room: what is left out should be worth the note of it. */
const SHORT_GAP = 100;

/**
 * The parts of a text that are shown where no more than `limit` code units of it are, notes included: its beginning and
 * its end, and up to half of the limit around the places that matter. None of them begins or ends within a surrogate pair,
 * and what lies between two of them is longer than a note would be.
 *
 * @param limit not below `2 * NOTE`.
 * @param places offsets of what matters, ascending.
 */
export function selectSpans(text: string, limit: number, places: readonly number[] = []): readonly TextSpan[] {
  if (text.length <= limit) return [{ start: 0, end: text.length }];
  const windows = Math.min(Math.floor(limit / 2 / WINDOW), places.length);
  const edges = limit - MAX_NOTE_LENGTH - windows * WINDOW;
  const head = Math.ceil((edges * 2) / 3);
  const tail = text.length - (edges - head);
  const around = places
    .filter((at) => at >= head && at < tail)
    .slice(0, windows)
    .map((at) => ({ start: Math.max(0, at - WINDOW_BEFORE), end: Math.min(text.length, at + WINDOW_AFTER) }));
  const apart = mergeSpans([{ start: 0, end: head }, ...around, { start: tail, end: text.length }], () => true);
  const shown = apart.reduce((sum, { start, end }) => sum + end - start, 0);
  let spare = limit - shown - (apart.length - 1) * MAX_NOTE_LENGTH;
  const spans = mergeSpans(apart, (gap) => {
    // The room for its note is free as well: a gap no longer than that can always be shown.
    const fits = gap <= SHORT_GAP && gap - MAX_NOTE_LENGTH <= spare;
    if (fits) spare -= gap - MAX_NOTE_LENGTH;
    return !fits;
  });
  return spans.map(({ start, end }) => ({ start: alignStart(text, start), end: alignEnd(text, end) }));
}

/** Spans that overlap or touch become one, and those with a gap between them that is not to be left out. */
function mergeSpans(spans: readonly TextSpan[], leavesOut: (gap: number) => boolean): readonly TextSpan[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const last = all.at(-1);
    if (last && (start <= last.end || !leavesOut(start - last.end))) last.end = Math.max(last.end, end);
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
 * The length at which texts have to be cut to fit into a budget together: short ones are left whole, and long ones share
 * what remains. Infinity where all of them fit.
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
