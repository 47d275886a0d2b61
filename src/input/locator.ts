import type { Document } from '../core/document.ts';
import { resolvePointers, type TextRange } from '../core/pointer-ranges.ts';
import type { Problem } from '../core/problem.ts';
import type { Pointer } from '../core/session.ts';

/** Resolves pointers in the files that were read, without a parse tree. */
export interface Locator {
  /** All at once in one pass over the file; pointers that lead nowhere are absent. */
  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange>;
}

/** Keeps the texts of files, and nothing that was made of them. */
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
   * Fills in the lines of problems that have a pointer and no line. Where the pointer leads nowhere, as to a value that
   * is missing, it is the line of what should hold it.
   */
  withLines(problems: readonly Problem[]): Problem[] {
    const open = problems.filter(({ pointer, line }) => pointer !== null && line === null);
    const found = new Map(
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
        const line = found.get(problem.file)?.get(pointer)?.line;
        if (line !== undefined) return { ...problem, line };
      }
      return problem;
    });
  }
}

/** A pointer, and those of what holds it, up to the whole document. */
export function* selfAndAncestors(pointer: Pointer): Generator<Pointer> {
  let at = pointer;
  while (at !== '') {
    yield at;
    at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
  }
  yield '';
}
