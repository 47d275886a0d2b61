import type { Step, Turn } from './session.ts';

/** A time span, in milliseconds since 1970. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
  /** False if the span is derived from the times of steps. */
  readonly isExact: boolean;
}

/** The time span of a turn; null if the trace does not say. A span that ends before it begins is left as it is. */
export function turnTimeSpan(turn: Turn): TimeSpan | null {
  const [start, end] = [parseTime(turn.startedAt), parseTime(turn.endedAt)];
  if (start !== null && end !== null) return { start, end, isExact: true };
  let first = start;
  let last = end;
  for (const step of turn.steps) {
    for (const time of stepTimes(step)) {
      if (start === null && (first === null || time < first)) first = time;
      if (end === null && (last === null || time > last)) last = time;
    }
  }
  // A single moment is no span.
  return first === null || last === null || first === last ? null : { start: first, end: last, isExact: false };
}

/** Duration in milliseconds; null if it is unknown or negative. */
export function durationOf({ startedAt, endedAt }: { readonly startedAt?: string; readonly endedAt?: string }) {
  const [start, end] = [parseTime(startedAt), parseTime(endedAt)];
  return start === null || end === null || end < start ? null : end - start;
}

/** `Date.parse` accepts long text; longer text is no time. */
const MAX_TIME_LENGTH = 100;

/** Milliseconds since 1970; UTC if there is no time zone, so that no figure depends on the machine. */
export function parseTime(text: string | undefined): number | null {
  if (text === undefined || text.length > MAX_TIME_LENGTH) return null;
  const iso = text.trim().replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
  const time = Date.parse(/T[^Z+-]*$/i.test(iso) ? `${iso}Z` : iso);
  return Number.isNaN(time) ? null : time;
}

function stepTimes(step: Step): number[] {
  if (step.type !== 'model' && step.type !== 'tool') return [];
  return [parseTime(step.startedAt), parseTime(step.endedAt)].filter((time) => time !== null);
}
