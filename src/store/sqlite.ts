import type * as Sqlite from 'node:sqlite';

/** Node's SQLite; null if this Node has none. */
export function loadSqlite(): typeof Sqlite | null {
  const emit = process.emitWarning;
  // Node warns that SQLite is experimental while it loads, which does not help a user. Loading is synchronous, so no other
  // warning can get lost here.
  process.emitWarning = (...args: readonly unknown[]) => {
    if (!/sqlite/i.test(String(args[0]))) Reflect.apply(emit, process, args);
  };
  try {
    const sqlite: typeof Sqlite | undefined = process.getBuiltinModule('node:sqlite');
    return sqlite ?? null;
  } finally {
    process.emitWarning = emit;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB of https://sqlite.org/rescode.html. */
const CORRUPT: ReadonlySet<number> = new Set([11, 26]);

/** SQLITE_BUSY and SQLITE_LOCKED. */
const BUSY: ReadonlySet<number> = new Set([5, 6]);

/** Whether SQLite reports a damaged file. */
export function isCorrupt(error: unknown): boolean {
  return CORRUPT.has(kindOf(error));
}

/** Whether another process used the file for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(kindOf(error));
}

/** 0 if it is not an error of SQLite. */
function kindOf(error: unknown): number {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return 0;
  // The low byte is the kind of the error, the rest its details.
  return error.errcode & 0xff;
}
