import { LruCache } from '../../core/cache/lru-cache.ts';
import { resolvePointers } from '../../core/pointer-ranges.ts';
import type { Pointer } from '../../core/session.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { parseFile } from '../../input/parse-file.ts';
import type { FileRange } from '../../protocol/messages.ts';
import { CLOCK_STEP_MS } from '../disk/file-stamps.ts';
import { toRange } from './session-results-view.ts';

/** Texts that are kept, and the longest one that is. */
const MAX_TEXTS = 4;
const MAX_LENGTH = 32_000_000;

/** The text of one version of a file; null where it is not JSON. */
interface FileText {
  readonly text: { readonly value: string; readonly lines: boolean } | null;
  readonly size: number;
  readonly modified: number | null;
  /** When size and time were checked, before the file was read. */
  readonly at: number;
}

/**
 * Resolves pointers in files as they are on disk. Keeps one text per version of the last files, so that going to a
 * line parses a file once; keeping the locations of all scores would take more memory than the text.
 */
export class FileTexts {
  readonly #files: FileSystem;
  readonly #now: () => number;
  readonly #texts = new LruCache<string, FileText>(MAX_TEXTS);

  constructor(files: FileSystem, now: () => number = Date.now) {
    this.#files = files;
    this.#now = now;
  }

  clear(): void {
    this.#texts.clear();
  }

  /** See `PointerLookup`. */
  readonly find = async (
    path: string,
    pointers: readonly Pointer[],
  ): Promise<ReadonlyMap<Pointer, FileRange> | null> => {
    const { text } = await this.#text(path);
    if (!text) return null;
    const resolved = resolvePointers(text.value, pointers, text);
    return new Map(Array.from(resolved, ([pointer, position]) => [pointer, toRange(position)]));
  };

  async #text(path: string): Promise<FileText> {
    const at = this.#now();
    const { size = -1, modified = null } = (await this.#files.stat(path)) ?? {};
    const known = this.#texts.get(path);
    const isCurrent = known?.size === size && known.modified === modified && isSettled(known);
    if (known && isCurrent) return known;
    const { document, text } = parseFile(path, await this.#files.read(path));
    const parsed = document && text !== null ? { value: text, lines: document.lines } : null;
    const read = { text: parsed, size, modified, at };
    if ((text?.length ?? 0) <= MAX_LENGTH) this.#texts.set(path, read);
    else this.#texts.delete(path);
    return read;
  }
}

/** A file that was written just before it was checked may be written again and look the same. */
function isSettled({ modified, at }: FileText): boolean {
  return modified !== null && modified < at - CLOCK_STEP_MS;
}
