import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { number, type OpenOptions, openDatabase, type Schema, transaction } from './database.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** What is kept at most. */
export interface Bounds {
  /** Days since an answer was last used. */
  readonly olderThanDays?: number;
  /** Of all answers together. */
  readonly maxBytes?: number;
}

/** Some answers. */
export interface Amount {
  readonly entries: number;
  readonly bytes: number;
}

export interface Pruned extends Amount {
  readonly isDone: boolean;
}

/** Times are milliseconds since 1970. Answers are bytes: SQLite ends a text at its first zero character. */
const SCHEMA: Schema = {
  version: 1,
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

/** At a time, so that no other process waits long for its turn to write. */
const ROWS = 500;
const PAGES = 1000;

/** The answers that were given, in a database. Whatever fails, throws. */
export class JudgementTable implements Disposable {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #touch: StatementSync;

  constructor(file: string, options: OpenOptions & { readonly now: () => number }) {
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

  contents(): Amount & { readonly oldestUse: number | null } {
    const row = this.#database
      .prepare('SELECT count(*) AS entries, sum(bytes) AS bytes, min(used_at) AS oldest FROM judgement')
      .get();
    const oldestUse = typeof row?.oldest === 'number' ? row.oldest : null;
    return { entries: Number(row?.entries ?? 0), bytes: Number(row?.bytes ?? 0), oldestUse };
  }

  /** Whether a day has gone by since this last said so, to whichever process. */
  isPruningDue(): boolean {
    const now = this.#now();
    const last = number(this.#database, 'SELECT pruned_at AS value FROM upkeep');
    // A time to come was written by a clock that was wrong.
    if (last > now - DAY_MS && last <= now) return false;
    const update = this.#database.prepare('UPDATE upkeep SET pruned_at = ? WHERE pruned_at = ?');
    return update.run(now, last).changes === 1;
  }

  /**
   * Forgets what was not used for the longest time and does not keep to the bounds; so much at a time that nobody waits
   * for it for long.
   *
   * @returns what was forgotten, and whether that was all
   */
  prune({ olderThanDays = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: Bounds): Pruned {
    const before = this.#now() - olderThanDays * DAY_MS;
    return transaction(this.#database, () => {
      const excess = number(this.#database, 'SELECT sum(bytes) AS value FROM judgement') - maxBytes;
      const forget = this.#database.prepare('DELETE FROM judgement WHERE rowid = ?');
      const oldest = this.#database.prepare(
        `SELECT rowid AS id, used_at, bytes FROM judgement ORDER BY used_at, rowid LIMIT ${ROWS}`,
      );
      let [entries, bytes] = [0, 0];
      for (const { id = null, used_at: usedAt, bytes: size } of oldest.all()) {
        if (Number(usedAt) >= before && bytes >= excess) break;
        forget.run(id);
        entries += 1;
        bytes += Number(size);
      }
      return { entries, bytes, isDone: entries < ROWS };
    });
  }

  /** Forgets everything, and leaves no word of it on the disk. */
  clear(): Amount {
    const { entries, bytes } = this.contents();
    // Otherwise the ends of pages that go on being used still hold it, and the log as well.
    this.#database.exec('PRAGMA secure_delete = ON; DELETE FROM judgement; PRAGMA secure_delete = OFF');
    this.shrink();
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { entries, bytes };
  }

  /** Gives the space of what was forgotten back to the disk; otherwise it is for what is kept next. */
  shrink(): void {
    const free = () => number(this.#database, 'SELECT freelist_count AS value FROM pragma_freelist_count');
    for (let left = free(), before = left + 1; left > 0 && left < before; before = left, left = free()) {
      this.#database.exec(`PRAGMA incremental_vacuum(${PAGES})`);
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
