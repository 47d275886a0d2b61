import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorMessage } from '../core/error-message.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import { AnswerTable, type CacheBounds, type CacheSize, DAY_MS } from './answer-table.ts';
import { loadBoundaryKey } from './boundary-key.ts';
import { fileId, moveAside, UnusableDatabase } from './database.ts';
import { isBusy, isCorrupt } from './sqlite.ts';

/** What Turnwise stores on disk between runs. Nothing is opened before it is needed, and nothing throws. */
export interface Store extends Disposable {
  /** The database of answers, which may not exist yet. */
  readonly file: string;
  readonly answerCache: AnswerCache;
  /** 32 secret bytes of this installation. */
  readonly boundaryKey: Uint8Array;
  /** Null, here and below, if it failed; `warn` was called with the reason. */
  contents(): CacheContents | null;
  /** Deletes the least recently used answers. @returns what it deleted */
  prune(bounds?: CacheBounds): CacheSize | null;
  /** Deletes all answers, and damaged files that were moved aside. @returns what it deleted */
  clear(): CacheSize | null;
  /** Afterwards nothing is read and nothing is stored. */
  close(): void;
}

export interface CacheContents extends CacheSize {
  readonly bytesOnDisk: number;
  /** When the least recently used answer was last used, in milliseconds since 1970. */
  readonly oldestUse: number | null;
  /** Damaged files that were moved aside. */
  readonly damaged: readonly string[];
}

export interface StoreOptions {
  /** Called with a sentence, once, if something cannot be stored. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
}

/** Applied once a day when an answer is added. */
export const DEFAULT_CACHE_BOUNDS: Required<CacheBounds> = { olderThanDays: 90, maxBytes: 500_000_000 };

/** A locked database is tried again so often, and waits only so long then: nothing else runs meanwhile. */
const RETRY_AFTER_MS = 1000;
const RETRY_TIMEOUT_MS = 50;

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
  /** Undefined before it is needed, null if it cannot be used. */
  #table: AnswerTable | null | undefined;
  #fileId: bigint | null = null;
  /** Undefined before an answer is added. A large excess is pruned in steps, one with each added answer. */
  #needsPruning: boolean | undefined;
  #isWritable = true;
  /** Whether another process locked the database for longer than the timeout, and nothing was written since. */
  #isLocked = false;
  /** When to try again after that. Reading is often possible while another process writes. */
  readonly #retryAt = { read: 0, write: 0 };
  #hasWarnedOfLock = false;

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
    if (!this.#deleteDamaged()) return null;
    return this.#exists() ? this.#write((table) => table.clear()) : { entries: 0, bytes: 0 };
  }

  close(): void {
    this.#closeTable();
    this.#table = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #get(key: string): string | null {
    const entry = this.#read((table) => table.get(key));
    // Once a day, so that most reads write nothing.
    if (entry && this.#options.now() - entry.usedAt >= DAY_MS) this.#write((table) => table.touch(key));
    return entry?.answer ?? null;
  }

  #put(key: string, answer: string): void {
    this.#write((table) => {
      this.#needsPruning ??= table.isPruningDue();
      if (this.#needsPruning) this.#needsPruning = !table.prune(DEFAULT_CACHE_BOUNDS).isDone;
      table.set(key, answer);
    });
  }

  #read<T>(work: (table: AnswerTable) => T): T | null {
    return this.#attempt('read', work, (error) => this.#giveUp(error));
  }

  #write<T>(work: (table: AnswerTable) => T): T | null {
    if (!this.#isWritable) return null;
    return this.#attempt('write', work, (error) => {
      this.#isWritable = false;
      const reason = `${this.file}: ${errorMessage(error)}`;
      this.#options.warn(`Answers are no longer cached: ${reason}. Answers that are cached already are still used.`);
    });
  }

  /** If the database is damaged, replaces it and tries once more. */
  #attempt<T>(kind: 'read' | 'write', work: (table: AnswerTable) => T, onError: (error: unknown) => void): T | null {
    if (this.#options.now() < this.#retryAt[kind]) return null;
    for (let isRetry = false; ; isRetry = true) {
      const table = this.#open();
      if (!table) return null;
      try {
        const result = work(table);
        if (kind === 'write') this.#unlock(table);
        return result;
      } catch (error) {
        if (!isRetry && isCorrupt(error)) this.#replace();
        else {
          if (isBusy(error)) this.#waitForLock(kind);
          else onError(error);
          return null;
        }
      }
    }
  }

  #waitForLock(kind: 'read' | 'write'): void {
    this.#retryAt[kind] = this.#options.now() + RETRY_AFTER_MS;
    this.#isLocked = true;
    this.#table?.setBusyTimeout(RETRY_TIMEOUT_MS);
    if (this.#hasWarnedOfLock) return;
    this.#hasWarnedOfLock = true;
    this.#options.warn(`${this.file} is locked by another program. Meanwhile no answers are cached.`);
  }

  #unlock(table: AnswerTable): void {
    if (!this.#isLocked) return;
    this.#isLocked = false;
    table.setBusyTimeout(this.#options.busyTimeoutMs);
  }

  #open(): AnswerTable | null {
    if (this.#table !== undefined) return this.#table;
    if (this.#options.now() < this.#retryAt.read) return null;
    const busyTimeoutMs = this.#isLocked ? RETRY_TIMEOUT_MS : this.#options.busyTimeoutMs;
    try {
      this.#table = new AnswerTable(this.file, { ...this.#options, busyTimeoutMs });
      this.#fileId = fileId(this.file);
      return this.#table;
    } catch (error) {
      if (isBusy(error)) this.#waitForLock('read');
      else this.#giveUp(error);
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
    this.close();
    const advice = error instanceof UnusableDatabase ? '' : ' Set TURNWISE_HOME to use another folder.';
    this.#options.warn(`Answers cannot be cached in ${this.#home}: ${errorMessage(error)}.${advice}`);
  }

  #closeTable(): void {
    try {
      this.#table?.[Symbol.dispose]();
    } catch {
      // What is stored is stored; SQLite finishes the rest when the file is opened again.
    }
  }

  #exists(): boolean {
    try {
      return fileId(this.file) !== null;
    } catch {
      // Opening it reports why.
      return true;
    }
  }

  #deleteDamaged(): boolean {
    try {
      for (const file of this.#damaged()) rmSync(file, { force: true });
      return true;
    } catch (error) {
      this.#options.warn(`Damaged files cannot be deleted: ${errorMessage(error)}.`);
      return false;
    }
  }

  #damaged(): readonly string[] {
    try {
      const prefix = `${basename(this.file)}.broken-`;
      return readdirSync(this.#home)
        .filter((name) => name.startsWith(prefix))
        .map((name) => join(this.#home, name));
    } catch {
      return [];
    }
  }
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
