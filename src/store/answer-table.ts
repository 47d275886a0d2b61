import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type DatabaseSchema, type OpenDatabaseOptions, openDatabase, queryNumber, transaction } from './database.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** How much is stored at most. */
export interface CacheBounds {
  /** Days since an answer was last used. */
  readonly olderThanDays?: number;
  /** Of all answers together. */
  readonly maxBytes?: number;
}

export interface CacheSize {
  readonly entries: number;
  readonly bytes: number;
}

export interface PruneResult extends CacheSize {
  readonly isDone: boolean;
}

/** Times are milliseconds since 1970. Answers are bytes: SQLite ends a text at its first zero character. */
const SCHEMA: DatabaseSchema = {
  version: 1,
  upgrades: [],
  tables: `
    CREATE TABLE judgement (
      key TEXT PRIMARY KEY,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      answer BLOB NOT NULL
    ) STRICT;
    CREATE INDEX judgement_by_use ON judgement (used_at, bytes);
    CREATE TABLE upkeep (pruned_at INTEGER NOT NULL) STRICT;
    INSERT INTO upkeep VALUES (0)`,
};

/** Pruned at a time, so that no other process waits long to write. */
const PRUNE_ROWS = 500;
const VACUUM_PAGES = 1000;

/** The answers of models, in a database. Every failure throws. */
export class AnswerTable implements Disposable {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #touch: StatementSync;

  constructor(file: string, options: OpenDatabaseOptions & { readonly now: () => number }) {
    this.#now = options.now;
    this.#database = openDatabase(file, SCHEMA, options);
    this.#get = this.#database.prepare('SELECT answer, used_at FROM judgement WHERE key = ?');
    this.#set = this.#database.prepare(
      `INSERT INTO judgement (key, created_at, used_at, bytes, answer) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET
         created_at = excluded.created_at, used_at = excluded.used_at, bytes = excluded.bytes, answer = excluded.answer`,
    );
    this.#touch = this.#database.prepare('UPDATE judgement SET used_at = ? WHERE key = ?');
  }

  /** How long to wait for another process that is writing. */
  setBusyTimeout(ms: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  get(key: string): { readonly answer: string; readonly usedAt: number } | null {
    const row = this.#get.get(key);
    if (!(row?.answer instanceof Uint8Array)) return null;
    return { answer: Buffer.from(row.answer).toString(), usedAt: Number(row.used_at) };
  }

  touch(key: string): void {
    this.#touch.run(this.#now(), key);
  }

  set(key: string, answer: string): void {
    const bytes = Buffer.from(answer);
    const now = this.#now();
    this.#set.run(key, now, now, bytes.length, bytes);
  }

  contents(): CacheSize & { readonly oldestUse: number | null } {
    const row = this.#database
      .prepare('SELECT count(*) AS entries, sum(bytes) AS bytes, min(used_at) AS oldest FROM judgement')
      .get();
    const oldestUse = typeof row?.oldest === 'number' ? row.oldest : null;
    return { entries: Number(row?.entries ?? 0), bytes: Number(row?.bytes ?? 0), oldestUse };
  }

  /** Whether a day has passed since this was last true, in any process. */
  isPruningDue(): boolean {
    const now = this.#now();
    const last = queryNumber(this.#database, 'SELECT pruned_at AS value FROM upkeep');
    // A time in the future was written by a wrong clock.
    if (last > now - DAY_MS && last <= now) return false;
    const update = this.#database.prepare('UPDATE upkeep SET pruned_at = ? WHERE pruned_at = ?');
    return update.run(now, last).changes === 1;
  }

  /**
   * Deletes the least recently used answers beyond the bounds, a limited number at a time.
   *
   * @returns what was deleted, and whether that was all
   */
  prune({ olderThanDays = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: CacheBounds): PruneResult {
    const before = this.#now() - olderThanDays * DAY_MS;
    return transaction(this.#database, () => {
      const excess = queryNumber(this.#database, 'SELECT sum(bytes) AS value FROM judgement') - maxBytes;
      const deleteRow = this.#database.prepare('DELETE FROM judgement WHERE rowid = ?');
      const oldest = this.#database.prepare(
        `SELECT rowid AS id, used_at, bytes FROM judgement ORDER BY used_at, rowid LIMIT ${PRUNE_ROWS}`,
      );
      let [entries, bytes] = [0, 0];
      for (const { id = null, used_at: usedAt, bytes: size } of oldest.all()) {
        if (Number(usedAt) >= before && bytes >= excess) break;
        deleteRow.run(id);
        entries += 1;
        bytes += Number(size);
      }
      return { entries, bytes, isDone: entries < PRUNE_ROWS };
    });
  }

  /** Deletes everything, and leaves no trace of its text on the disk. */
  clear(): CacheSize {
    const { entries, bytes } = this.contents();
    // Otherwise pages that are still in use contain deleted text, and the log as well.
    this.#database.exec('PRAGMA secure_delete = ON; DELETE FROM judgement; PRAGMA secure_delete = OFF');
    this.shrink();
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { entries, bytes };
  }

  /** Returns the space of deleted answers to the disk; otherwise the next ones use it. */
  shrink(): void {
    const free = () => queryNumber(this.#database, 'SELECT freelist_count AS value FROM pragma_freelist_count');
    for (let left = free(), before = left + 1; left > 0 && left < before; before = left, left = free()) {
      this.#database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
