import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPrivateFolder } from './private-folder.ts';
import { isCorrupt, loadSqlite } from './sqlite.ts';

/** "Trnw", in the header of each file: what tells ours from others'. */
const APPLICATION_ID = 0x54726e77;

/** What a database holds. */
export interface DatabaseSchema {
  /** Counted from 1; a file of a higher one is left alone. */
  readonly version: number;
  /** Statements that make its tables. */
  readonly tables: string;
}

/** A database that cannot be used and must not be touched. The message is a sentence. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** A file that holds something else than it should. */
class InvalidDatabase extends Error {
  readonly kind: 'broken' | 'foreign';
  constructor(kind: InvalidDatabase['kind']) {
    super(`The database is ${kind}.`);
    this.kind = kind;
  }
}

export interface OpenDatabaseOptions {
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs: number;
  /** Gets a sentence when what was there had to be moved aside. */
  readonly warn: (sentence: string) => void;
}

/**
 * Opens a database, or makes it; several processes may at once. What is broken, or is of another program, is moved aside
 * and kept.
 *
 * @throws UnusableDatabase, or what the file system or SQLite threw
 */
export function openDatabase(
  file: string,
  schema: DatabaseSchema,
  { busyTimeoutMs: patienceMs, warn }: OpenDatabaseOptions,
): DatabaseSync {
  createPrivateFolder(dirname(file));
  const id = fileId(file);
  try {
    return openValid(file, schema, patienceMs);
  } catch (error) {
    const kind = error instanceof InvalidDatabase ? error.kind : isCorrupt(error) ? 'broken' : null;
    if (kind === null) throw error;
    moveAside(file, id, kind, warn);
    return openValid(file, schema, patienceMs);
  }
}

/** Names a file whatever its path; null when it is not there. Its data may change, and it may move. */
export function fileId(file: string): bigint | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** @param id of the file that was found strange: another process may have put a new one in its place since. */
export function moveAside(
  file: string,
  id: bigint | null,
  kind: 'broken' | 'foreign',
  warn: OpenDatabaseOptions['warn'],
): void {
  if (fileId(file) !== id) return;
  const aside = freeName(file, kind);
  // SQLite would play the old log into the new database: it goes first, under the name by which SQLite finds it again.
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
  rmSync(`${file}-shm`, { force: true });
  renameSync(file, aside);
  const what = kind === 'broken' ? 'was damaged' : 'was none of Turnwise';
  warn(`The cache ${file} ${what}: it is now ${aside}, and a new one was begun.`);
}

function freeName(file: string, kind: 'broken' | 'foreign'): string {
  let n = 1;
  while (existsSync(`${file}.${kind}-${n}`)) n += 1;
  return `${file}.${kind}-${n}`;
}

/** @throws StrangeDatabase, UnusableDatabase, or what the file system or SQLite threw */
function openValid(file: string, schema: DatabaseSchema, patienceMs: number): DatabaseSync {
  const sqlite = loadSqlite();
  if (!sqlite) throw new UnusableDatabase(`this Node (${process.version}) has no SQLite; Node 22.13 and newer have it`);
  // SQLite would give everybody leave to read it. Its logs take the leave of the file.
  closeSync(openSync(file, 'a', 0o600));
  const database = new sqlite.DatabaseSync(file);
  try {
    // What is committed outlives the process whatever happens to it; a power cut may take the last moments, and no more.
    database.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA synchronous = NORMAL`);
    if (isEmpty(database)) createTables(database, schema);
    checkVersion(database, schema, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function createTables(database: DatabaseSync, { version, tables }: DatabaseSchema): void {
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
  transaction(database, () => {
    // Another process may have been first.
    if (!isEmpty(database)) return;
    database.exec(`${tables}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
  });
}

function checkVersion(database: DatabaseSync, { version }: DatabaseSchema, file: string): void {
  if (pragma(database, 'application_id') !== APPLICATION_ID) throw new InvalidDatabase('foreign');
  const found = pragma(database, 'user_version');
  if (found > version) {
    throw new UnusableDatabase(
      `${file} is of a newer Turnwise; update this one, or name another folder in TURNWISE_HOME`,
    );
  }
  if (found < version) throw new InvalidDatabase('broken');
}

function isEmpty(database: DatabaseSync): boolean {
  return (
    pragma(database, 'application_id') === 0 &&
    queryNumber(database, 'SELECT count(*) AS value FROM sqlite_schema') === 0
  );
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return queryNumber(database, `SELECT ${name} AS value FROM pragma_${name}`);
}

/** What a query of one row and one column named `value` gives. */
export function queryNumber(database: DatabaseSync, query: string): number {
  return Number(database.prepare(query).get()?.value ?? 0);
}

/** All of it or nothing, and nobody else writes meanwhile. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // After some errors, a full disk for one, SQLite has done so by itself.
    }
    throw error;
  }
}
