import { sep } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DAY_MS } from './answer-table.ts';
import { type DatabaseSchema, type OpenDatabaseOptions, openDatabase, queryNumber, transaction } from './database.ts';

/** The results of one file. */
export interface StoredFileResults {
  /** Absolute. */
  readonly path: string;
  /** Of the bytes that were evaluated; null if they are not known. */
  readonly hash: string | null;
  /** Milliseconds since 1970. */
  readonly evaluatedAt: number;
  /** Version of the shape of the content; readers ignore those they do not know. */
  readonly format: number;
  readonly content: Uint8Array;
}

/** How much is stored at most. */
export interface ResultsBounds {
  /** Days since the results were last saved or restored. */
  readonly olderThanDays: number;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

const SCHEMA: DatabaseSchema = {
  version: 1,
  upgrades: [],
  tables: `
    CREATE TABLE result (
      path TEXT PRIMARY KEY,
      hash TEXT,
      evaluated_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      format INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      content BLOB NOT NULL
    ) STRICT;
    CREATE INDEX result_by_use ON result (used_at, bytes)`,
};

const VACUUM_PAGES = 1000;

/** The character after the path separator: paths in a folder sort between the two. */
const AFTER_SEPARATOR = String.fromCharCode(sep.charCodeAt(0) + 1);

/** The results of files, in a database. Every failure throws. */
export class ResultsTable implements Disposable {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #bounds: ResultsBounds;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #touch: StatementSync;

  constructor(
    file: string,
    options: OpenDatabaseOptions & { readonly now: () => number; readonly bounds: ResultsBounds },
  ) {
    this.#now = options.now;
    this.#bounds = options.bounds;
    this.#database = openDatabase(file, SCHEMA, options);
    // Reasons quote traces: deleted text must not stay in pages that are still in use.
    this.#database.exec('PRAGMA secure_delete = ON');
    this.#get = this.#database.prepare('SELECT * FROM result WHERE path = ?');
    this.#set = this.#database.prepare(
      `INSERT INTO result (path, hash, evaluated_at, used_at, format, bytes, content) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET
         hash = excluded.hash, evaluated_at = excluded.evaluated_at, used_at = excluded.used_at,
         format = excluded.format, bytes = excluded.bytes, content = excluded.content`,
    );
    this.#touch = this.#database.prepare('UPDATE result SET used_at = ? WHERE path = ? AND used_at < ?');
  }

  /** The stored paths that are among `paths`, or in these folders. */
  pathsUnder(paths: readonly string[]): string[] {
    const find = this.#database.prepare('SELECT path FROM result WHERE path = ? OR (path >= ? AND path < ?)');
    return [...new Set(paths.flatMap((path) => find.all(...pathRange(path)).map((row) => String(row.path))))];
  }

  get(path: string): StoredFileResults | null {
    const row = this.#get.get(path);
    if (!(row?.content instanceof Uint8Array)) return null;
    return {
      path,
      hash: typeof row.hash === 'string' ? row.hash : null,
      evaluatedAt: Number(row.evaluated_at),
      format: Number(row.format),
      content: row.content,
    };
  }

  /** Marks results as restored. Written once a day, so that most reads write nothing. */
  touch(paths: readonly string[]): void {
    const now = this.#now();
    transaction(this.#database, () => {
      for (const path of paths) this.#touch.run(now, path, now - DAY_MS);
    });
  }

  /** Replaces the results of these files, and deletes the least recently used ones beyond the bounds. */
  save(results: readonly StoredFileResults[]): void {
    const now = this.#now();
    transaction(this.#database, () => {
      for (const { path, hash, evaluatedAt, format, content } of results) {
        this.#set.run(path, hash, evaluatedAt, now, format, content.length, content);
      }
      this.#prune();
    });
  }

  #prune(): void {
    const { olderThanDays, maxFiles, maxBytes } = this.#bounds;
    this.#database.prepare('DELETE FROM result WHERE used_at < ?').run(this.#now() - olderThanDays * DAY_MS);
    let files = queryNumber(this.#database, 'SELECT count(*) AS value FROM result');
    let bytes = queryNumber(this.#database, 'SELECT sum(bytes) AS value FROM result');
    if (files <= maxFiles && bytes <= maxBytes) return;
    const deleteRow = this.#database.prepare('DELETE FROM result WHERE rowid = ?');
    const oldest = this.#database.prepare('SELECT rowid AS id, bytes FROM result ORDER BY used_at, rowid');
    for (const { id = null, bytes: size } of oldest.all()) {
      if (files <= maxFiles && bytes <= maxBytes) break;
      deleteRow.run(id);
      files -= 1;
      bytes -= Number(size);
    }
  }

  /** Deletes the results of these files, and of those in these folders. */
  delete(paths: readonly string[]): void {
    this.#deleteRows('DELETE FROM result WHERE path = ? OR (path >= ? AND path < ?)', paths.map(pathRange));
  }

  /** Deletes the results of these files only, and not of those in one of them that is a folder. */
  deleteFiles(paths: readonly string[]): void {
    this.#deleteRows(
      'DELETE FROM result WHERE path = ?',
      paths.map((path) => [path]),
    );
  }

  #deleteRows(statement: string, keys: readonly (readonly string[])[]): void {
    const deleteRow = this.#database.prepare(statement);
    const deleted = transaction(this.#database, () =>
      keys.reduce((sum, key) => sum + Number(deleteRow.run(...key).changes), 0),
    );
    if (deleted > 0) this.#shrink();
  }

  /** Returns the space of deleted results to the disk, and empties the log. */
  #shrink(): void {
    this.#database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES}); PRAGMA wal_checkpoint(TRUNCATE)`);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** A path, and the range of all paths in it if it is a folder. */
function pathRange(path: string): [path: string, from: string, to: string] {
  const folder = path.endsWith(sep) ? path.slice(0, -1) : path;
  return [path, folder + sep, folder + AFTER_SEPARATOR];
}
