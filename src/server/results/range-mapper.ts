import type { FilePosition, FileRange } from '../../protocol/messages.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';

/** Tells where something that was found in a text stands now, while the text is being edited. */
export class RangeMapper {
  readonly #edits: TextDelta[] = [];
  #known = new WeakMap<FileRange, { readonly edits: number; readonly range: FileRange }>();
  /** Ranges that were found in another text of the same file. */
  readonly #others = new WeakMap<FileRange, RangeMapper>();

  get isIdentity(): boolean {
    return this.#edits.length === 0;
  }

  /** In the order in which they happened, each in the text as the one before left it. */
  add(edits: Iterable<TextDelta>): void {
    for (const edit of edits) this.#edits.push(edit);
  }

  /** The text is again as it was when everything was found. */
  reset(): void {
    this.#edits.length = 0;
    this.#known = new WeakMap();
  }

  /** These were found in another text of the same file: it is asked where they stand. */
  delegate(ranges: Iterable<FileRange>, to: RangeMapper): void {
    for (const range of ranges) this.#others.set(range, to);
  }

  /** @param range as it was found; the same object each time, so that only edits since are looked at. */
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
 * An edit within a range stretches it; one that takes an end of it away leaves the rest. Where all of it is replaced, nobody
 * knows what became of it: editors tell of many small changes as of one large one. It stays on its line, as far as there is one.
 */
export function mapRange(range: FileRange, edit: TextDelta): FileRange {
  if (isReplacedBy(range, edit)) {
    const end = insertedEnd(edit);
    return {
      start: earlierOf(range.start, end),
      end: isBefore(range.end, edit.range.end) ? earlierOf(range.end, end) : end,
    };
  }
  // What is put at the very beginning pushes the range on; what is put at its very end does not belong to it.
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
  // What stood here is gone: what follows takes its place.
  if (isBefore(position, end)) return inserted;
  const line = position.line - end.line + inserted.line;
  if (position.line > end.line) return { line, character: position.character };
  return { line, character: position.character - end.character + inserted.character };
}

function isBefore(a: FilePosition, b: FilePosition): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
