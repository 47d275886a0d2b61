import { join } from 'node:path';
import { errorMessage } from '../core/error-message.ts';
import { fileId, moveAside, UnusableDatabase } from './database.ts';
import { type ResultsBounds, ResultsTable, type StoredFileResults } from './results-table.ts';
import { isBusy, isCorrupt } from './sqlite.ts';

export type { StoredFileResults } from './results-table.ts';

/** What was found in files, kept between runs. Nothing is opened before it is needed, and nothing here throws. */
export interface ResultsStore extends Disposable {
  /** Where they are, or will be. */
  readonly file: string;
  /** The paths of files that are these, or in these folders, for which something is kept. */
  pathsUnder(paths: readonly string[]): readonly string[];
  get(path: string): StoredFileResults | null;
  /** These were of use, and are kept on. */
  touch(paths: readonly string[]): void;
  save(results: readonly StoredFileResults[]): void;
  /** Forgets what is kept of these files, and of those in these folders. */
  delete(paths: readonly string[]): void;
  /** Forgets what is kept of these files, and nothing that is in one of them if it is a folder. */
  deleteFiles(paths: readonly string[]): void;
}

export interface ResultsStoreOptions {
  /** Gets a sentence, once, when something cannot be kept. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
  readonly bounds?: ResultsBounds;
}

/** Of which an editor can show nothing more, and which nobody misses. */
export const DEFAULT_RESULTS_BOUNDS: ResultsBounds = { olderThanDays: 90, maxFiles: 2000, maxBytes: 200_000_000 };

/** @param home see `dataFolder` */
export function openResultsStore(home: string, options: ResultsStoreOptions): ResultsStore {
  return new DiskResultsStore(join(home, 'results.db'), options);
}

class DiskResultsStore implements ResultsStore {
  readonly file: string;
  readonly #options: Required<ResultsStoreOptions>;
  /** Undefined before it is needed, null when it cannot be used. */
  #table: ResultsTable | null | undefined;
  #fileId: bigint | null = null;

  constructor(file: string, options: ResultsStoreOptions) {
    this.file = file;
    this.#options = { now: Date.now, busyTimeoutMs: 1000, bounds: DEFAULT_RESULTS_BOUNDS, ...options };
  }

  pathsUnder(paths: readonly string[]): readonly string[] {
    return this.#isThere() ? (this.#attempt((table) => table.pathsUnder(paths)) ?? []) : [];
  }

  get(path: string): StoredFileResults | null {
    return this.#isThere() ? this.#attempt((table) => table.get(path)) : null;
  }

  touch(paths: readonly string[]): void {
    if (this.#isThere()) this.#attempt((table) => table.touch(paths));
  }

  save(results: readonly StoredFileResults[]): void {
    this.#attempt((table) => table.save(results));
  }

  delete(paths: readonly string[]): void {
    if (this.#isThere()) this.#attempt((table) => table.delete(paths));
  }

  deleteFiles(paths: readonly string[]): void {
    if (this.#isThere()) this.#attempt((table) => table.deleteFiles(paths));
  }

  [Symbol.dispose](): void {
    this.#shut();
    this.#table = null;
  }

  /** Nothing is made for who only looks. */
  #isThere(): boolean {
    try {
      return fileId(this.file) !== null;
    } catch {
      // Opening it says why not.
      return true;
    }
  }

  /** What is damaged is replaced, and then tried once more. Null where it failed. */
  #attempt<T>(work: (table: ResultsTable) => T): T | null {
    for (let isSecond = false; ; isSecond = true) {
      const table = this.#opened();
      if (!table) return null;
      try {
        return work(table);
      } catch (error) {
        if (!isSecond && isCorrupt(error)) {
          this.#replace();
          continue;
        }
        // Another window is writing: these results are not kept, the next may be.
        if (!isBusy(error)) this.#giveUp(error);
        return null;
      }
    }
  }

  #opened(): ResultsTable | null {
    if (this.#table !== undefined) return this.#table;
    try {
      this.#table = new ResultsTable(this.file, this.#options);
      this.#fileId = fileId(this.file);
      return this.#table;
    } catch (error) {
      if (!isBusy(error)) this.#giveUp(error);
      return null;
    }
  }

  #replace(): void {
    this.#shut();
    this.#table = undefined;
    try {
      moveAside(this.file, this.#fileId, 'broken', this.#options.warn);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this[Symbol.dispose]();
    const reason = errorMessage(error);
    const advice = error instanceof UnusableDatabase ? '' : ' TURNWISE_HOME can name another folder.';
    this.#options.warn(`Results are not kept for the next window (${this.file}): ${reason}.${advice}`);
  }

  #shut(): void {
    try {
      this.#table?.[Symbol.dispose]();
    } catch {
      // What was kept is kept; the rest happens when the file is opened again.
    }
  }
}
