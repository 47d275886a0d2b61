import { truncate, width, wrap } from '../terminal-text.ts';
import type { TableStyle, TextTone } from './style.ts';

/** A location and its note, on one line if there is room. The location begins its line and is never cut, so that a terminal can link it. */
export function* locationLines(indent: string, location: string, note: string, style: TableStyle): Generator<string> {
  if (indent.length + width(location) + 2 + width(note) <= style.columns) {
    yield `${indent}${location}  ${style.paint(note, 'quiet')}`;
    return;
  }
  yield `${indent}${location}`;
  for (const text of wrap(note, style.columns - indent.length - 2)) yield `${indent}  ${style.paint(text, 'quiet')}`;
}

/** Text behind a mark; further lines are indented as far as its text. */
export function* markedLines(
  indent: string,
  mark: string,
  tone: TextTone,
  text: string,
  style: TableStyle,
): Generator<string> {
  for (const [index, line] of wrap(text, style.columns - indent.length - 2).entries())
    yield index === 0 ? `${indent}${style.paint(mark, tone)} ${line}` : `${indent}  ${line}`;
}

/** A reason, on a limited number of lines. */
export function* reasonLines(indent: string, reason: string, lines: number, style: TableStyle): Generator<string> {
  const room = style.columns - indent.length;
  const text = Number.isFinite(lines) ? truncate(reason, Math.floor((lines - 0.2) * room)) : reason;
  for (const line of wrap(text, room)) yield `${indent}${line}`;
}

export function* quietLines(indent: string, text: string, style: TableStyle): Generator<string> {
  for (const line of wrap(text, style.columns - indent.length)) yield `${indent}${style.paint(line, 'quiet')}`;
}

interface FlowItem {
  readonly text: string;
  readonly tone: TextTone;
}

const GAP = '   ';

/** Short texts side by side. */
export function* flowLines(indent: string, items: readonly FlowItem[], style: TableStyle): Generator<string> {
  const columns = style.columns - indent.length;
  const lines: FlowItem[][] = [];
  let room = 0;
  for (const { text, tone } of items) {
    const cut = truncate(text, columns);
    const needed = GAP.length + width(cut);
    if (needed > room) {
      lines.push([]);
      room = columns + GAP.length;
    }
    lines.at(-1)?.push({ text: cut, tone });
    room -= needed;
  }
  for (const line of lines) yield `${indent}${line.map(({ text, tone }) => style.paint(text, tone)).join(GAP)}`;
}
