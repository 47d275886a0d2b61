import { isSidecar } from '../../core/trace-file-names.ts';
import { sidecarNames } from '../../input/sidecar.ts';
import type { Edit } from '../../protocol/text-edit.ts';
import type { Disk } from '../disk/disk.ts';
import type { Documents } from '../held/documents.ts';
import { isConfigurationAbove, isNamedBeside } from '../held/held-file.ts';
import type { Results } from '../held/results.ts';

interface Parts {
  readonly results: Results;
  readonly documents: Documents;
  readonly disk: Disk;
  /** What is held of these files is seen otherwise now. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
}

/** Compares what is held with what is there: with what is typed, and with what is on disk. */
export class Freshness {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A document is not as on disk. @param edits that brought it there, as far as anybody has seen them. */
  edited(path: string, edits: readonly Edit[]): void {
    const { documents, results, refreshSoon } = this.#parts;
    documents.edited(path, edits);
    const { state: before, changed: cause } = results.file(path) ?? {};
    results.edited(path, edits);
    const { state, changed } = results.file(path) ?? {};
    // Places that were told before have moved: editors ask for lenses anew of their own accord, for diagnostics they do not.
    const hasMoved = state !== undefined && edits.length > 0;
    if (state !== before || changed !== cause || hasMoved) refreshSoon([path]);
  }

  /** A document is as on disk again. */
  async settled(path: string): Promise<void> {
    this.#parts.documents.settled(path);
    await this.check(path);
  }

  /** Looks at a file of which something is held, or with which something was evaluated; at no other. */
  async check(path: string): Promise<void> {
    const { documents, results, disk, refreshSoon } = this.#parts;
    const isHeld = results.file(path) !== undefined;
    const isInput = isInputByName(path) && results.isInput(path);
    if (!isHeld && !isInput) return;
    const hash = (await disk.look(path))?.hash ?? null;
    const changed = isInput ? [...results.inputSeen(path, hash)] : [];
    if (results.seen(path, hash, documents.isDirty(path))) changed.push(path);
    refreshSoon(changed);
  }

  /** Files that would be evaluated otherwise, now that a file is on disk as it is: that one, or those that it is beside. */
  changedWith(path: string): readonly string[] {
    const { results } = this.#parts;
    const concerned = isSidecar(path) ? results.paths.filter((held) => sidecarNames(held).includes(path)) : [path];
    return concerned.filter((held) => results.file(held)?.isChanged);
  }
}

function isInputByName(path: string): boolean {
  return isNamedBeside(path) || isConfigurationAbove(path);
}
