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
  /** Refreshes these files soon. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
}

/** Compares results with unsaved edits and with the files on disk. */
export class StalenessTracker {
  readonly #parts: StalenessOptions;

  constructor(parts: StalenessOptions) {
    this.#parts = parts;
  }

  /** A document has unsaved changes. @param edits empty where they are unknown. */
  addEdits(path: string, edits: readonly TextDelta[]): void {
    const { documents, results, refreshSoon } = this.#parts;
    documents.addEdits(path, edits);
    const { state: stateBefore, outdatedBecause: causeBefore } = results.file(path) ?? {};
    results.addEdits(path, edits);
    const { state, outdatedBecause } = results.file(path) ?? {};
    // Ranges have moved: editors request lenses again by themselves, but not diagnostics.
    const hasMoved = state !== undefined && edits.length > 0;
    if (state !== stateBefore || outdatedBecause !== causeBefore || hasMoved) refreshSoon([path]);
  }

  /** A document matches its file again. */
  async markClean(path: string): Promise<void> {
    this.#parts.documents.markClean(path);
    await this.check(path);
  }

  /** Checks a file that has results or affects them; no other. */
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

  /** Files to evaluate again after a change on disk: the file itself, or those whose sidecar it is. */
  filesToEvaluate(path: string): readonly string[] {
    const { results } = this.#parts;
    const concerned = isSidecar(path) ? results.paths.filter((trace) => sidecarNames(trace).includes(path)) : [path];
    return concerned.filter((trace) => results.needsEvaluation(trace));
  }
}

function isInputByName(path: string): boolean {
  return isCompanionInput(path) || isConfigurationFile(path);
}
