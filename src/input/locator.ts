import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Document } from '../core/document.ts';
import { resolvePointers, type TextRange } from '../core/pointer-ranges.ts';
import type { Problem } from '../core/problem.ts';
import type { Pointer } from '../core/session.ts';

/** Finds JSON pointers in the text of the files that were read. */
export interface Locator {
  /** Finds all pointers in one pass over the file. Pointers that resolve to nothing are absent from the result. */
  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange>;
}

interface KeptText {
  /** Compressed where many texts were added since. */
  readonly text: string | Uint8Array;
  readonly lines: boolean;
}

/** Length of all texts together that are kept as they are, in UTF-16 code units. */
const MAX_PLAIN_LENGTH = 16_000_000;

/**
 * Keeps only the texts of files, not their parsed values. The last one is kept as it is; of many, the oldest are compressed:
 * they are needed once more, for the lines of what was found.
 */
export class TextLocator implements Locator {
  readonly #texts = new Map<string, KeptText>();
  /** In the order in which they were added. */
  readonly #plain: { readonly file: string; readonly text: string }[] = [];
  #plainLength = 0;

  addText({ file, lines }: Pick<Document, 'file' | 'lines'>, text: string): void {
    this.#texts.set(file, { text, lines });
    this.#plain.push({ file, text });
    this.#plainLength += text.length;
    while (this.#plainLength > MAX_PLAIN_LENGTH && this.#plain.length > 1) this.#compressOldest();
  }

  #compressOldest(): void {
    const oldest = this.#plain.shift();
    if (!oldest) return;
    this.#plainLength -= oldest.text.length;
    const kept = this.#texts.get(oldest.file);
    // Halves of surrogate pairs would be lost.
    if (kept?.text !== oldest.text || !oldest.text.isWellFormed()) return;
    this.#texts.set(oldest.file, { ...kept, text: deflateRawSync(oldest.text, { level: 1 }) });
  }

  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange> {
    const kept = this.#texts.get(file);
    if (!kept) return new Map();
    const text = typeof kept.text === 'string' ? kept.text : inflateRawSync(kept.text).toString();
    return resolvePointers(text, pointers, kept);
  }

  /**
   * Fills in the lines of problems that have a pointer and no line. If the pointer resolves to nothing, for example to
   * a missing value, the line is that of its nearest existing ancestor.
   */
  withLines(problems: readonly Problem[]): Problem[] {
    const open = problems.filter(({ pointer, line }) => pointer !== null && line === null);
    const ranges = new Map(
      Array.from(
        Map.groupBy(open, ({ file }) => file),
        ([file, ofFile]) => {
          const pointers = ofFile.flatMap(({ pointer }) => (pointer === null ? [] : [...selfAndAncestors(pointer)]));
          return [file, this.locate(file, pointers)] as const;
        },
      ),
    );
    return problems.map((problem) => {
      if (problem.pointer === null || problem.line !== null) return problem;
      for (const pointer of selfAndAncestors(problem.pointer)) {
        const line = ranges.get(problem.file)?.get(pointer)?.line;
        if (line !== undefined) return { ...problem, line };
      }
      return problem;
    });
  }
}

/** A pointer and its ancestors, up to the whole document. */
export function* selfAndAncestors(pointer: Pointer): Generator<Pointer> {
  let at = pointer;
  while (at !== '') {
    yield at;
    at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
  }
  yield '';
}
