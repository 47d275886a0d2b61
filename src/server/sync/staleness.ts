import { isSidecar } from '../../core/trace-file-names.ts';
import { sidecarNames } from '../../input/sidecar.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';
import type { FileStamps } from '../disk/file-stamps.ts';
import type { DirtyDocuments } from '../results/dirty-documents.ts';
import { isCompanionInput, isConfigurationFile } from '../results/evaluated-file.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';

interface StalenessOptions {
  readonly results: EvaluationResults;
  readonly documents: DirtyDocuments;
  readonly disk: FileStamps;
  /** What is held of these files is seen otherwise now. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
}

/** Compares what is held with what is there: with what is typed, and with what is on disk. */
export class StalenessTracker {
  readonly #parts: StalenessOptions;

  constructor(parts: StalenessOptions) {
    this.#parts = parts;
  }

  /** A document is not as on disk. @param edits that brought it there, as far as anybody has seen them. */
  addEdits(path: string, edits: readonly TextDelta[]): void {
    const { documents, results, refreshSoon } = this.#parts;
    documents.addEdits(path, edits);
    const { state: before, changed: cause } = results.file(path) ?? {};
    results.addEdits(path, edits);
    const { state, changed } = results.file(path) ?? {};
    // Places that were told before have moved: editors ask for lenses anew of their own accord, for diagnostics they do not.
    const hasMoved = state !== undefined && edits.length > 0;
    if (state !== before || changed !== cause || hasMoved) refreshSoon([path]);
  }

  /** A document is as on disk again. */
  async markClean(path: string): Promise<void> {
    this.#parts.documents.markClean(path);
    await this.check(path);
  }

  /** Looks at a file of which something is held, or with which something was evaluated; at no other. */
  async check(path: string): Promise<void> {
    const { documents, results, disk, refreshSoon } = this.#parts;
    const isHeld = results.file(path) !== undefined;
    const isInput = isInputByName(path) && results.isInput(path);
    if (!isHeld && !isInput) return;
    const hash = (await disk.get(path))?.hash ?? null;
    const changed = isInput ? [...results.updateInputHash(path, hash)] : [];
    if (results.updateHash(path, hash, documents.isDirty(path))) changed.push(path);
    refreshSoon(changed);
  }

  /** Files that would be evaluated otherwise, now that a file is on disk as it is: that one, or those that it is beside. */
  staleFilesFor(path: string): readonly string[] {
    const { results } = this.#parts;
    const concerned = isSidecar(path) ? results.paths.filter((held) => sidecarNames(held).includes(path)) : [path];
    return concerned.filter((held) => results.file(held)?.isChanged);
  }
}

function isInputByName(path: string): boolean {
  return isCompanionInput(path) || isConfigurationFile(path);
}
