import { join } from 'node:path';
import { errorMessage } from '../core/error-message.ts';
import { fileId, moveAside, UnusableDatabase } from './database.ts';
import { type ResultsBounds, ResultsTable, type StoredFileResults } from './results-table.ts';
import { isBusy, isCorrupt } from './sqlite.ts';

export type { StoredFileResults } from './results-table.ts';

/** Results of files, stored between runs. Nothing is opened before it is needed, and nothing throws. */
export interface ResultsStore extends Disposable {
  /** The database, which may not exist yet. */
  readonly file: string;
  /** The stored paths that are among `paths`, or in these folders. */
  pathsUnder(paths: readonly string[]): readonly string[];
  get(path: string): StoredFileResults | null;
  /** Marks results as restored, so that they are kept longer. */
  touch(paths: readonly string[]): void;
  save(results: readonly StoredFileResults[]): void;
  /** Deletes the results of these files, and of those in these folders. */
  delete(paths: readonly string[]): void;
  /** Deletes the results of these files only, and not of those in one of them that is a folder. */
  deleteFiles(paths: readonly string[]): void;
}

export interface ResultsStoreOptions {
  /** Called with a sentence, once, if something cannot be stored. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
  readonly bounds?: ResultsBounds;
}

export const DEFAULT_RESULTS_BOUNDS: ResultsBounds = { olderThanDays: 90, maxFiles: 2000, maxBytes: 200_000_000 };

/** @param home see `dataFolder` */
export function openResultsStore(home: string, options: ResultsStoreOptions): ResultsStore {
  return new DiskResultsStore(join(home, 'results.db'), options);
}

class DiskResultsStore implements ResultsStore {
  readonly file: string;
  readonly #options: Required<ResultsStoreOptions>;
  /** Undefined before it is needed, null if it cannot be used. */
  #table: ResultsTable | null | undefined;
  #fileId: bigint | null = null;

  constructor(file: string, options: ResultsStoreOptions) {
    this.file = file;
    this.#options = { now: Date.now, busyTimeoutMs: 1000, bounds: DEFAULT_RESULTS_BOUNDS, ...options };
  }

  pathsUnder(paths: readonly string[]): readonly string[] {
    return this.#exists() ? (this.#attempt((table) => table.pathsUnder(paths)) ?? []) : [];
  }

  get(path: string): StoredFileResults | null {
    return this.#exists() ? this.#attempt((table) => table.get(path)) : null;
  }

  touch(paths: readonly string[]): void {
    if (this.#exists()) this.#attempt((table) => table.touch(paths));
  }

  save(results: readonly StoredFileResults[]): void {
    this.#attempt((table) => table.save(results));
  }

  delete(paths: readonly string[]): void {
    if (this.#exists()) this.#attempt((table) => table.delete(paths));
  }

  deleteFiles(paths: readonly string[]): void {
    if (this.#exists()) this.#attempt((table) => table.deleteFiles(paths));
  }

  [Symbol.dispose](): void {
    this.#closeTable();
    this.#table = null;
  }

  /** Reading creates no database. */
  #exists(): boolean {
    try {
      return fileId(this.file) !== null;
    } catch {
      // Opening it reports why.
      return true;
    }
  }

  /** If the database is damaged, replaces it and tries once more. Null if it failed. */
  #attempt<T>(work: (table: ResultsTable) => T): T | null {
    for (let isRetry = false; ; isRetry = true) {
      const table = this.#open();
      if (!table) return null;
      try {
        return work(table);
      } catch (error) {
        if (!isRetry && isCorrupt(error)) {
          this.#replace();
          continue;
        }
        // Another window is writing: these results are not stored, the next ones may be.
        if (!isBusy(error)) this.#giveUp(error);
        return null;
      }
    }
  }

  #open(): ResultsTable | null {
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
    this.#closeTable();
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
    const advice = error instanceof UnusableDatabase ? '' : ' Set TURNWISE_HOME to use another folder.';
    this.#options.warn(`Results are not saved for the next window (${this.file}): ${reason}.${advice}`);
  }

  #closeTable(): void {
    try {
      this.#table?.[Symbol.dispose]();
    } catch {
      // What is stored is stored; SQLite finishes the rest when the file is opened again.
    }
  }
}
