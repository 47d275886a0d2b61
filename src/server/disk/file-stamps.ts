import { MAX_BYTES } from '../../input/decode.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { contentHash } from './content-hash.ts';
import type { FileStamp } from './file-stamp.ts';

/** Stands for the hash of a file that exists and cannot be read. */
export const UNREADABLE_HASH = '';

/**
 * File system clocks tick in steps: a file that was written just before it was checked may be written again and look
 * the same.
 */
export const CLOCK_STEP_MS = 10;

/** Hashes of files on disk: computed one at a time in the background, and once per change. */
export class FileStamps {
  readonly #files: FileSystem;
  readonly #now: () => number;
  /** The last known stamp of each file. */
  readonly #known = new Map<string, FileStamp>();
  /** Files that wait to be checked. */
  readonly #waiting = new Map<string, Promise<FileStamp | null>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: FileSystem, now: () => number = Date.now) {
    this.#files = files;
    this.#now = now;
  }

  /**
   * The file as it is now; requests that wait for the same check share it. Null where it does not exist. Never
   * rejects.
   */
  get(path: string): Promise<FileStamp | null> {
    const waiting = this.#waiting.get(path);
    if (waiting) return waiting;
    const looked = this.#last.then(() => {
      this.#waiting.delete(path);
      return this.#look(path);
    });
    this.#waiting.set(path, looked);
    this.#last = looked;
    return looked;
  }

  /** Sets the stamp of a file that was read elsewhere. */
  set(path: string, stamp: FileStamp): void {
    this.#known.set(path, stamp);
  }

  clear(): void {
    this.#known.clear();
  }

  async #look(path: string): Promise<FileStamp | null> {
    const at = this.#now();
    try {
      const stat = await this.#files.stat(path);
      if (stat?.kind !== 'file') {
        this.#known.delete(path);
        return null;
      }
      const { size, modified = null } = stat;
      const known = this.#known.get(path);
      if (known && isUnchanged(known, { size, modified })) return known;
      const bytes = size > MAX_BYTES ? null : await this.#files.read(path);
      const stamp = { hash: bytes ? contentHash(path, bytes) : UNREADABLE_HASH, size, modified, at };
      this.#known.set(path, stamp);
      return stamp;
    } catch {
      this.#known.delete(path);
      return { hash: UNREADABLE_HASH, size: 0, modified: null, at };
    }
  }
}

function isUnchanged(known: FileStamp, { size, modified }: Pick<FileStamp, 'size' | 'modified'>): boolean {
  return modified !== null && modified === known.modified && size === known.size && modified < known.at - CLOCK_STEP_MS;
}
