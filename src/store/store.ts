import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorMessage } from '../core/error-message.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import { AnswerTable, type CacheBounds, type CacheSize, DAY_MS } from './answer-table.ts';
import { loadBoundaryKey } from './boundary-key.ts';
import { fileId, moveAside, UnusableDatabase } from './database.ts';
import { isCorrupt } from './sqlite.ts';

/** What Turnwise keeps on disk between runs. Nothing is opened before it is needed, and nothing here throws. */
export interface Store extends Disposable {
  /** Where the answers are, or will be. */
  readonly file: string;
  readonly answerCache: AnswerCache;
  /** 32 bytes that only this installation knows. */
  readonly boundaryKey: Uint8Array;
  /** Null, here and below, where it failed; `warn` has heard why. */
  contents(): CacheContents | null;
  /** Forgets answers, those first that were not used for the longest time. @returns what it forgot */
  prune(bounds?: CacheBounds): CacheSize | null;
  /** Forgets all answers, and what was moved aside because it was damaged. @returns what it forgot */
  clear(): CacheSize | null;
  /** Afterwards nothing is found and nothing is kept. */
  close(): void;
}

export interface CacheContents extends CacheSize {
  readonly bytesOnDisk: number;
  /** In milliseconds since 1970: when the answer was last used that was not used for the longest time. */
  readonly oldestUse: number | null;
  /** Files that were moved aside because they were damaged. */
  readonly damaged: readonly string[];
}

export interface StoreOptions {
  /** Gets a sentence, once, when something cannot be kept. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
}

/** What is held without being asked, once a day when something is added. */
export const DEFAULT_CACHE_BOUNDS: Required<CacheBounds> = { olderThanDays: 90, maxBytes: 500_000_000 };

/** @param home see `dataFolder` */
export function openStore(home: string, options: StoreOptions): Store {
  return new DiskStore(home, options);
}

class DiskStore implements Store {
  readonly file: string;
  readonly answerCache: AnswerCache = {
    get: async (key) => this.#get(key),
    put: async (key, answer) => this.#put(key, answer),
  };
  readonly #home: string;
  readonly #options: Required<StoreOptions>;
  #boundaryKey: Uint8Array | null = null;
  /** Undefined before it is needed, null when it cannot be used. */
  #table: AnswerTable | null | undefined;
  #fileId: bigint | null = null;
  /** Undefined before something is added. What is left to prune, goes with the next that is added. */
  #needsPruning: boolean | undefined;
  #isWritable = true;

  constructor(home: string, options: StoreOptions) {
    this.#home = home;
    this.#options = { now: Date.now, busyTimeoutMs: 5000, ...options };
    this.file = join(home, 'judgements.db');
  }

  get boundaryKey(): Uint8Array {
    this.#boundaryKey ??= loadBoundaryKey(this.#home);
    return this.#boundaryKey;
  }

  contents(): CacheContents | null {
    const damaged = this.#damaged();
    if (!this.#exists()) return { entries: 0, bytes: 0, bytesOnDisk: 0, oldestUse: null, damaged };
    const contents = this.#read((table) => table.contents());
    return contents && { ...contents, bytesOnDisk: fileSize(this.file) + fileSize(`${this.file}-wal`), damaged };
  }

  prune(bounds: CacheBounds = DEFAULT_CACHE_BOUNDS): CacheSize | null {
    let [entries, bytes] = [0, 0];
    if (!this.#exists()) return { entries, bytes };
    for (let isDone = false; !isDone; ) {
      const pruned = this.#write((table) => table.prune(bounds));
      if (!pruned) return null;
      entries += pruned.entries;
      bytes += pruned.bytes;
      isDone = pruned.isDone;
    }
    this.#write((table) => table.shrink());
    return { entries, bytes };
  }

  clear(): CacheSize | null {
    if (!this.#forgetDamaged()) return null;
    return this.#exists() ? this.#write((table) => table.clear()) : { entries: 0, bytes: 0 };
  }

  close(): void {
    this.#shut();
    this.#table = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #get(key: string): string | null {
    const found = this.#read((table) => table.get(key));
    // Once a day, so that reading stays reading.
    if (found && this.#options.now() - found.usedAt >= DAY_MS) this.#write((table) => table.touch(key));
    return found?.answer ?? null;
  }

  #put(key: string, answer: string): void {
    this.#write((table) => {
      this.#needsPruning ??= table.isPruningDue();
      if (this.#needsPruning) this.#needsPruning = !table.prune(DEFAULT_CACHE_BOUNDS).isDone;
      table.set(key, answer);
    });
  }

  #read<T>(work: (table: AnswerTable) => T): T | null {
    return this.#attempt(work, (error) => this.#giveUp(error));
  }

  #write<T>(work: (table: AnswerTable) => T): T | null {
    if (!this.#isWritable) return null;
    return this.#attempt(work, (error) => {
      this.#isWritable = false;
      const reason = `${this.file}: ${errorMessage(error)}`;
      this.#options.warn(
        `Answers of models are no longer kept: ${reason}. Those that were kept before are still used.`,
      );
    });
  }

  /** What is damaged is replaced, and then tried once more. */
  #attempt<T>(work: (table: AnswerTable) => T, failed: (error: unknown) => void): T | null {
    for (let isSecond = false; ; isSecond = true) {
      const table = this.#opened();
      if (!table) return null;
      try {
        return work(table);
      } catch (error) {
        if (!isSecond && isCorrupt(error)) this.#replace();
        else {
          failed(error);
          return null;
        }
      }
    }
  }

  #opened(): AnswerTable | null {
    if (this.#table !== undefined) return this.#table;
    try {
      this.#table = new AnswerTable(this.file, this.#options);
      this.#fileId = fileId(this.file);
      return this.#table;
    } catch (error) {
      this.#giveUp(error);
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
    this.close();
    const advice = error instanceof UnusableDatabase ? '' : ' TURNWISE_HOME can name another folder.';
    this.#options.warn(`Answers of models cannot be kept in ${this.#home}: ${errorMessage(error)}.${advice}`);
  }

  #shut(): void {
    try {
      this.#table?.[Symbol.dispose]();
    } catch {
      // What was kept is kept; the rest happens when the file is opened again.
    }
  }

  #exists(): boolean {
    try {
      return fileId(this.file) !== null;
    } catch {
      // Opening it says why not.
      return true;
    }
  }

  #forgetDamaged(): boolean {
    try {
      for (const file of this.#damaged()) rmSync(file, { force: true });
      return true;
    } catch (error) {
      this.#options.warn(`What was moved aside cannot be deleted: ${errorMessage(error)}.`);
      return false;
    }
  }

  #damaged(): readonly string[] {
    try {
      const beginning = `${basename(this.file)}.broken-`;
      return readdirSync(this.#home)
        .filter((name) => name.startsWith(beginning))
        .map((name) => join(this.#home, name));
    } catch {
      return [];
    }
  }
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
