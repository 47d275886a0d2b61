import { MAX_BYTES } from '../../input/decode.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { contentHash } from './content-hash.ts';
import type { FileStamp } from './file-stamp.ts';

/** What stands for the bytes of a file that is there and cannot be read. */
export const UNREADABLE_HASH = '';

/**
 * A file that was written at about the time at which it was looked at may have been written once more since, and look the
 * same: clocks of file systems go in steps.
 */
const CLOCK_STEP_MS = 10;

/** Hashes of files as they are on disk: one at a time, in the background, and never twice for one change. */
export class FileStamps {
  readonly #files: FileSystem;
  readonly #now: () => number;
  /** As they were when they were last looked at. */
  readonly #known = new Map<string, FileStamp>();
  /** What has not begun yet. */
  readonly #waiting = new Map<string, Promise<FileStamp | null>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: FileSystem, now: () => number = Date.now) {
    this.#files = files;
    this.#now = now;
  }

  /** As it is now: whoever asks before it is looked at gets the same answer. Null: nothing is there. Never rejects. */
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

  /** Somebody else has read it. */
  set(path: string, stamp: FileStamp): void {
    this.#known.set(path, stamp);
  }

  clear(): void {
    this.#known.clear();
  }

  async #look(path: string): Promise<FileStamp | null> {
    const at = this.#now();
    try {
      const found = await this.#files.stat(path);
      if (found?.kind !== 'file') {
        this.#known.delete(path);
        return null;
      }
      const { size, modified = null } = found;
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
