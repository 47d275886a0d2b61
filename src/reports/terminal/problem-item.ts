import { sanitizeLine, truncate, width, wrap } from '../terminal-text.ts';
import type { TableStyle } from './style.ts';

/** A problem: its title, its reason and the location of its evidence. */
export interface ProblemItem {
  readonly title: string;
  readonly reason: string | null;
  /** `file:line`. */
  readonly location: string | null;
}

/** Limit of the lines of a reason. */
const LINES = 3;

/** The title, and below it the reason. The location ends the reason or has a line of its own, and is never cut. */
export function* problemItemLines(
  { title: what, reason: why, location }: ProblemItem,
  indent: string,
  style: TableStyle,
): Generator<string> {
  const inner = `${indent}  `;
  const room = style.columns - inner.length;
  for (const [index, line] of wrap(sanitizeLine(what), room).entries()) {
    yield `${index === 0 ? indent : inner}${style.paint(`${index === 0 ? '✗ ' : ''}${line}`, 'bad')}`;
  }
  const lines = why === null ? [] : wrap(truncate(sanitizeLine(why), Math.floor((LINES - 0.2) * room)), room);
  const last = lines.at(-1);
  const beside = location !== null && last !== undefined && width(last) + 2 + width(location) <= room;
  for (const line of beside ? lines.slice(0, -1) : lines) yield `${inner}${line}`;
  if (location === null) return;
  yield beside ? `${inner}${last}  ${style.paint(location, 'quiet')}` : `${inner}${style.paint(location, 'quiet')}`;
}
