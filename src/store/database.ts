import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPrivateFolder } from './private-folder.ts';
import { isCorrupt, loadSqlite } from './sqlite.ts';

/** "Trnw", in the header of each file, marks databases of Turnwise. */
const APPLICATION_ID = 0x54726e77;

/** The tables of a database. */
export interface DatabaseSchema {
  /** From 1; a file with a higher version is not touched. */
  readonly version: number;
  /** SQL that creates the tables. */
  readonly tables: string;
  /** SQL that makes each version the next one, from 1 on. */
  readonly upgrades: readonly string[];
  /** Everything in it is elsewhere too: a file that is damaged is deleted, and not moved aside. */
  readonly canRebuild?: true;
}

/** A database that cannot be used and must not be touched. The message is a sentence. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** A file that is damaged, or belongs to another program. */
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
  /** Called with a sentence when an existing file had to be moved aside. */
  readonly warn: (sentence: string) => void;
}

/**
 * Opens or creates a database; several processes may do so at the same time. A file that is damaged, or belongs to another
 * program, is moved aside.
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
    if (schema.canRebuild) deleteDatabase(file);
    else moveAside(file, id, kind, warn);
    return openValid(file, schema, patienceMs);
  }
}

/** Deletes a database with its log. */
export function deleteDatabase(file: string): void {
  for (const part of [`${file}-wal`, `${file}-shm`, file]) rmSync(part, { force: true });
}

/** Identifies a file whatever its path or content; null if it does not exist. */
export function fileId(file: string): bigint | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** @param id of the invalid file: another process may have replaced it since. */
export function moveAside(
  file: string,
  id: bigint | null,
  kind: 'broken' | 'foreign',
  warn: OpenDatabaseOptions['warn'],
): void {
  if (fileId(file) !== id) return;
  const aside = freeName(file, kind);
  // SQLite would apply the old log to the new database: it is moved first, to the name under which SQLite finds it again.
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
  rmSync(`${file}-shm`, { force: true });
  renameSync(file, aside);
  const problem = kind === 'broken' ? 'was damaged' : 'belongs to another program';
  warn(`The cache ${file} ${problem}. It was moved to ${aside}, and a new one was created.`);
}

function freeName(file: string, kind: 'broken' | 'foreign'): string {
  let n = 1;
  while (existsSync(`${file}.${kind}-${n}`)) n += 1;
  return `${file}.${kind}-${n}`;
}

/** @throws StrangeDatabase, UnusableDatabase, or what the file system or SQLite threw */
function openValid(file: string, schema: DatabaseSchema, patienceMs: number): DatabaseSync {
  const sqlite = loadSqlite();
  if (!sqlite) throw new UnusableDatabase(`Node ${process.version} has no SQLite; use Node 22.13 or newer`);
  // SQLite would create it readable for everybody. Its logs get the permissions of the file.
  closeSync(openSync(file, 'a', 0o600));
  const database = new sqlite.DatabaseSync(file);
  try {
    // Commits survive a crash of the process; a power failure may lose the last few of them.
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
    // Another process may have created it first.
    if (!isEmpty(database)) return;
    database.exec(`${tables}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
  });
}

function checkVersion(database: DatabaseSync, schema: DatabaseSchema, file: string): void {
  const { version } = schema;
  if (pragma(database, 'application_id') !== APPLICATION_ID) throw new InvalidDatabase('foreign');
  const fileVersion = pragma(database, 'user_version');
  if (fileVersion > version) {
    throw new UnusableDatabase(
      `${file} was written by a newer Turnwise; update Turnwise, or set TURNWISE_HOME to use another folder`,
    );
  }
  if (fileVersion < version) upgrade(database, schema);
}

function upgrade(database: DatabaseSync, { version, upgrades }: DatabaseSchema): void {
  transaction(database, () => {
    // Another process may have upgraded it first.
    const steps = upgrades.slice(pragma(database, 'user_version') - 1);
    if (steps.length > 0) database.exec(`${steps.join(';')}; PRAGMA user_version = ${version}`);
  });
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

/** The result of a query with one row and one column named `value`. */
export function queryNumber(database: DatabaseSync, query: string): number {
  return Number(database.prepare(query).get()?.value ?? 0);
}

/** Runs `work` completely or not at all, with no other writer in between. */
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
      // After some errors, such as a full disk, SQLite has rolled back already.
    }
    throw error;
  }
}
