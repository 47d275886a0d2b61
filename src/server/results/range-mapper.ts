import type { FilePosition, FileRange } from '../../protocol/messages.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';

/** Maps ranges of an evaluated text to the text as it is edited now. */
export class RangeMapper {
  readonly #edits: TextDelta[] = [];
  #known = new WeakMap<FileRange, { readonly edits: number; readonly range: FileRange }>();
  /** Ranges of another version of the same file. */
  readonly #others = new WeakMap<FileRange, RangeMapper>();

  get isIdentity(): boolean {
    return this.#edits.length === 0;
  }

  /** In order, each in the text that the previous one produced. */
  add(edits: Iterable<TextDelta>): void {
    for (const edit of edits) this.#edits.push(edit);
  }

  /** The text matches the evaluated one again. */
  reset(): void {
    this.#edits.length = 0;
    this.#known = new WeakMap();
  }

  /** Delegates ranges of another version of the same file to that version's mapper. */
  delegate(ranges: Iterable<FileRange>, to: RangeMapper): void {
    for (const range of ranges) this.#others.set(range, to);
  }

  /** @param range as it was found; the same object each time, so that only new edits are applied. */
  map(range: FileRange): FileRange {
    const other = this.#others.get(range);
    if (other) return other.map(range);
    if (this.isIdentity) return range;
    const known = this.#known.get(range);
    let now = known?.range ?? range;
    for (let at = known?.edits ?? 0; at < this.#edits.length; at += 1) {
      const edit = this.#edits[at];
      if (edit) now = mapRange(now, edit);
    }
    this.#known.set(range, { edits: this.#edits.length, range: now });
    return now;
  }
}

/**
 * An edit inside a range stretches it; one that removes an end of it keeps the rest. Where the whole range is
 * replaced, its new extent is unknown, since editors send many small changes as one large one: it stays on its line,
 * as far as that exists.
 */
export function mapRange(range: FileRange, edit: TextDelta): FileRange {
  if (isReplacedBy(range, edit)) {
    const end = insertedEnd(edit);
    return {
      start: earlierOf(range.start, end),
      end: isBefore(range.end, edit.range.end) ? earlierOf(range.end, end) : end,
    };
  }
  // Text that is inserted at the start moves the range; text that is inserted at its end does not belong to it.
  const start = mapPosition(range.start, edit, true);
  const end = mapPosition(range.end, edit, false);
  return isBefore(end, start) ? { start, end: start } : { start, end };
}

function isReplacedBy({ start, end }: FileRange, { range, lines, lastLength }: TextDelta): boolean {
  if (lines === 0 && lastLength === 0) return false;
  return !isBefore(start, range.start) && isBefore(start, range.end) && !isBefore(range.end, end);
}

function insertedEnd({ range: { start }, lines, lastLength }: TextDelta): FilePosition {
  return { line: start.line + lines, character: lines === 0 ? start.character + lastLength : lastLength };
}

function earlierOf(a: FilePosition, b: FilePosition): FilePosition {
  return isBefore(b, a) ? b : a;
}

function mapPosition(position: FilePosition, edit: TextDelta, isStart: boolean): FilePosition {
  const { start, end } = edit.range;
  const isTouched = isStart ? !isBefore(position, start) : isBefore(start, position);
  if (!isTouched) return position;
  const inserted = insertedEnd(edit);
  // The text at this position was removed; the following text takes its place.
  if (isBefore(position, end)) return inserted;
  const line = position.line - end.line + inserted.line;
  if (position.line > end.line) return { line, character: position.character };
  return { line, character: position.character - end.character + inserted.character };
}

function isBefore(a: FilePosition, b: FilePosition): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
