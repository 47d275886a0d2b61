import type { DatabaseSync } from 'node:sqlite';
import { type DatabaseSchema, openDatabase, transaction } from '../database.ts';

/** What the index has of a run. */
export interface IndexedRun {
  /** Of its project. */
  readonly key: string;
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** What lists show, as text that the index does not read. */
  readonly entry: string;
}

export interface IndexQuery {
  /** Null: of all projects. */
  readonly key: string | null;
  readonly after: string;
  readonly offset: number;
  /** -1: all. */
  readonly limit: number;
}

const SCHEMA: DatabaseSchema = {
  version: 1,
  tables: `
    CREATE TABLE run (
      key TEXT NOT NULL,
      id TEXT NOT NULL,
      started_at TEXT NOT NULL,
      entry TEXT NOT NULL,
      PRIMARY KEY (key, id)
    ) STRICT;
    CREATE INDEX run_by_time ON run (started_at, id)`,
  upgrades: [],
  canRebuild: true,
};

/** A list waits no longer for another process that writes. */
const BUSY_TIMEOUT_MS = 500;

/**
 * A database with what lists show of the runs, so that none of their files is read. It can be deleted: everything in it is also
 * in the folders of the runs. Every failure throws.
 */
export class RunIndex implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = openDatabase(file, SCHEMA, { busyTimeoutMs: BUSY_TIMEOUT_MS, warn: () => {} });
  }

  ids(key: string): ReadonlySet<string> {
    const rows = this.#database.prepare('SELECT id FROM run WHERE key = ?').all(key);
    return new Set(rows.map(({ id }) => String(id)));
  }

  keys(): readonly string[] {
    return this.#database
      .prepare('SELECT DISTINCT key FROM run')
      .all()
      .map(({ key }) => String(key));
  }

  /** The newest first. */
  query({ key, after, offset, limit }: IndexQuery): IndexedRun[] {
    const rows = this.#database
      .prepare(
        `SELECT key, id, started_at, entry FROM run WHERE (?1 IS NULL OR key = ?1) AND started_at > ?2
         ORDER BY started_at DESC, id DESC LIMIT ?3 OFFSET ?4`,
      )
      .all(key, after, limit, offset);
    return rows.map((row) => ({
      key: String(row.key),
      id: String(row.id),
      startedAt: String(row.started_at),
      entry: String(row.entry),
    }));
  }

  put(runs: readonly IndexedRun[]): void {
    const insert = this.#database.prepare(
      'INSERT OR REPLACE INTO run (key, id, started_at, entry) VALUES (?, ?, ?, ?)',
    );
    transaction(this.#database, () => {
      for (const { key, id, startedAt, entry } of runs) insert.run(key, id, startedAt, entry);
    });
  }

  delete(key: string, ids: readonly string[]): void {
    const remove = this.#database.prepare('DELETE FROM run WHERE key = ? AND id = ?');
    transaction(this.#database, () => {
      for (const id of ids) remove.run(key, id);
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
