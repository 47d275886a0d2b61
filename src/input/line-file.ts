import { isUtf8 } from 'node:buffer';
import { createYielder } from '../core/async/yielding.ts';
import { pointerTokens } from '../core/pointer.ts';
import { resolvePointers, type TextRange } from '../core/pointer-ranges.ts';
import type { Pointer } from '../core/session.ts';
import type { PartialFile } from './file-system.ts';

/** Bytes of a part: enough for what a part costs by itself, and little beside what a process needs. */
const PART_BYTES = 2 ** 21;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Lines that follow each other, with their ends. */
export interface LinePart {
  /** Zero-based number of its first line. */
  readonly firstLine: number;
  readonly text: string;
}

/**
 * A file of UTF-8 lines that is read in parts. It keeps the positions of its lines and the text of the last part; other lines are
 * read again when they are needed.
 */
export class LineFile {
  readonly #file: PartialFile;
  /** Of each line, and the end of the file. */
  readonly #byteStarts: Float64Array;
  /** In UTF-16 code units, as far as the file was read. */
  readonly #textStarts: Float64Array;
  readonly #lastLine: number;
  #part: LinePart = { firstLine: 0, text: '' };

  private constructor(file: PartialFile, byteStarts: Float64Array) {
    this.#file = file;
    this.#byteStarts = byteStarts;
    this.#textStarts = new Float64Array(byteStarts.length);
    this.#lastLine = byteStarts.length - 2;
  }

  /**
   * Finds the lines of a file; null where it is no text in UTF-8 whose lines all end with \n, so that it has to be read as a whole.
   *
   * @throws RefusedFile, or the system's error
   */
  static async open(file: PartialFile, signal: AbortSignal): Promise<LineFile | null> {
    const starts: number[] = [];
    const yieldIfDue = createYielder();
    let at = hasByteOrderMark(file) ? 3 : 0;
    while (at < file.size) {
      signal.throwIfAborted();
      const bytes = readLines(file, at);
      if (!isUtf8(bytes) || hasOtherLineEnds(bytes)) return null;
      for (let start = 0; start < bytes.length; start = bytes.indexOf(NEWLINE, start) + 1 || bytes.length) {
        starts.push(at + start);
      }
      at += bytes.length;
      await yieldIfDue();
    }
    return starts.length === 0 ? null : new LineFile(file, Float64Array.from([...starts, file.size]));
  }

  /** The lines, a part at a time. @throws RefusedFile, or the system's error */
  *parts(): Generator<LinePart, void> {
    for (let line = 0; line <= this.#lastLine; ) {
      const text = decode(readLines(this.#file, this.#byteStarts[line] ?? 0));
      const part = { firstLine: line, text };
      const partStart = this.#textStarts[line] ?? 0;
      for (let start = 0; start < text.length; line += 1) {
        start = text.indexOf('\n', start) + 1 || text.length;
        this.#textStarts[line + 1] = partStart + start;
      }
      this.#part = part;
      yield part;
    }
  }

  /** Finds pointers, whose first token is the zero-based number of a line. Those that resolve to nothing are absent. */
  locate(pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange> {
    const byLine = Map.groupBy(pointers, (pointer) => pointerTokens(pointer)[0] ?? null);
    const located = new Map<Pointer, TextRange>();
    for (const [token, ofLine] of byLine) {
      if (token === null) located.set('', this.#whole());
      else this.#locateIn(token, ofLine, located);
    }
    return located;
  }

  #locateIn(token: string, pointers: readonly Pointer[], located: Map<Pointer, TextRange>): void {
    const line = /^(?:0|[1-9]\d{0,15})$/.test(token) ? Number(token) : Number.POSITIVE_INFINITY;
    const text = line <= this.#lastLine ? this.#lineText(line) : null;
    if (text === null) return;
    const offset = this.#textStarts[line] ?? 0;
    const inLine = new Map(pointers.map((pointer) => [pointer.slice(token.length + 1), pointer]));
    for (const [relative, range] of resolvePointers(text, inLine.keys(), { lines: false })) {
      located.set(inLine.get(relative) ?? '', {
        ...range,
        offset: offset + range.offset,
        line: line + range.line,
        endLine: line + range.endLine,
      });
    }
  }

  /** Without its end; null where the file is not the same any more. */
  #lineText(line: number): string | null {
    const { firstLine, text } = this.#part;
    const start = (this.#textStarts[line] ?? 0) - (this.#textStarts[firstLine] ?? 0);
    if (line >= firstLine && start < text.length) {
      const end = text.indexOf('\n', start);
      return text.slice(start, end < 0 ? text.length : end);
    }
    try {
      return decode(this.#file.read(this.#byteStarts[line] ?? 0, this.#byteStarts[line + 1] ?? 0)).replace(/\n$/, '');
    } catch {
      return null;
    }
  }

  #whole(): TextRange {
    const length = this.#textStarts.at(-1) ?? 0;
    const lastStart = this.#textStarts[this.#lastLine] ?? 0;
    const isEnded = this.#lineText(this.#lastLine)?.length !== length - lastStart;
    return {
      offset: 0,
      length,
      line: 1,
      column: 1,
      endLine: this.#lastLine + (isEnded ? 2 : 1),
      endColumn: isEnded ? 1 : length - lastStart + 1,
      lineEnd: (this.#lineText(0)?.replace(/\r$/, '').length ?? 0) + 1,
    };
  }
}

/** Whole lines from a position on: as many as fit into a part, and at least one. */
function readLines(file: PartialFile, start: number): Uint8Array {
  for (let length = PART_BYTES; ; length *= 2) {
    const end = Math.min(file.size, start + length);
    const bytes = file.read(start, end);
    if (end === file.size) return bytes;
    const last = bytes.lastIndexOf(NEWLINE);
    if (last >= 0) return bytes.subarray(0, last + 1);
  }
}

function hasByteOrderMark(file: PartialFile): boolean {
  const [first, second, third] = file.read(0, Math.min(3, file.size));
  return first === 0xef && second === 0xbb && third === 0xbf;
}

/** Editors count a line for each \r that no \n follows. */
function hasOtherLineEnds(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(RETURN); at >= 0; at = bytes.indexOf(RETURN, at + 1)) {
    if (bytes[at + 1] !== NEWLINE) return true;
  }
  return false;
}

/** The mark of the file was skipped. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
