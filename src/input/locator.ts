import type { Document } from '../core/document.ts';
import { resolvePointers, type TextRange } from '../core/pointer-ranges.ts';
import type { Problem } from '../core/problem.ts';
import type { Pointer } from '../core/session.ts';
import { decode } from './decode.ts';
import type { PartialFile } from './file-system.ts';
import type { LineFile } from './line-file.ts';

/** Finds JSON pointers in the text of the files that were read. */
export interface Locator {
  /** Finds all pointers in one pass over the file. Pointers that resolve to nothing are absent from the result. */
  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange>;
  /** Whether few pointers of a file are found without a pass over all of it; absent where none is such. */
  isIndexed?(file: string): boolean;
}

interface KeptText {
  /** Null where it is read again when it is needed. */
  readonly text: string | null;
  readonly lines: boolean;
  readonly source: PartialFile | null;
}

/** Length of all texts together that are kept although they could be read again, in UTF-16 code units. */
const MAX_KEPT_LENGTH = 16_000_000;

/** Keeps only the texts of files, not their parsed values; of many that can be read again, only the last ones. */
export class TextLocator implements Locator {
  readonly #texts = new Map<string, KeptText>();
  readonly #lineFiles = new Map<string, LineFile>();
  /** Those that can be read again, in the order in which they were added. */
  readonly #readable: { readonly file: string; readonly kept: KeptText }[] = [];
  #keptLength = 0;

  /** @param source where the same text can be read again */
  addText({ file, lines }: Pick<Document, 'file' | 'lines'>, text: string, source: PartialFile | null = null): void {
    const kept = { text, lines, source };
    this.#texts.set(file, kept);
    if (!source) return;
    this.#readable.push({ file, kept });
    this.#keptLength += text.length;
    while (this.#keptLength > MAX_KEPT_LENGTH && this.#readable.length > 1) this.#releaseOldest();
  }

  /** Adds a file of which no text is kept. */
  addLines(file: string, lines: LineFile): void {
    this.#lineFiles.set(file, lines);
  }

  /** Whether a few pointers of a file are found without a pass over all of it. */
  isIndexed(file: string): boolean {
    return this.#lineFiles.has(file);
  }

  #releaseOldest(): void {
    const oldest = this.#readable.shift();
    if (!oldest) return;
    const { file, kept } = oldest;
    this.#keptLength -= kept.text?.length ?? 0;
    if (this.#texts.get(file) === kept) this.#texts.set(file, { ...kept, text: null });
  }

  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, TextRange> {
    const lineFile = this.#lineFiles.get(file);
    if (lineFile) return lineFile.locate(pointers);
    const kept = this.#texts.get(file);
    const text = kept?.text ?? (kept?.source ? readAgain(kept.source) : null);
    return kept && text !== null ? resolvePointers(text, pointers, kept) : new Map();
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

/** Null where the file is not the same any more. */
function readAgain(source: PartialFile): string | null {
  try {
    const decoded = decode(source.read(0, source.size));
    return 'text' in decoded ? decoded.text : null;
  } catch {
    return null;
  }
}
