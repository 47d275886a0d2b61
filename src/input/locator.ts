import type { Document } from '../core/document.ts';
import { resolvePointers, type TextRange } from '../core/pointer-ranges.ts';
import type { Problem } from '../core/problem.ts';
import type { Pointer } from '../core/session.ts';

/** Finds JSON pointers in the text of the files that were read. */
export interface Locator {
  /** Finds all pointers in one pass over the file. Pointers that resolve to nothing are absent from the result. */
  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange>;
}

/** Keeps only the texts of files, not their parsed values. */
export class TextLocator implements Locator {
  readonly #texts = new Map<string, { readonly text: string; readonly lines: boolean }>();

  addText({ file, lines }: Pick<Document, 'file' | 'lines'>, text: string): void {
    this.#texts.set(file, { text, lines });
  }

  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange> {
    const kept = this.#texts.get(file);
    return kept ? resolvePointers(kept.text, pointers, kept) : new Map();
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
