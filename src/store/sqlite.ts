import type * as Sqlite from 'node:sqlite';

/** Node's SQLite, or null where this Node has none. */
export function loadSqlite(): typeof Sqlite | null {
  const emit = process.emitWarning;
  // Node says that SQLite is experimental while it loads, which nobody who evaluates traces can do anything about. Loading is
  // synchronous, so no other warning can get lost here.
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

/** Whether SQLite found the file itself damaged. */
export function isCorrupt(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return false;
  // The low byte is the kind of the error, the rest its details.
  return CORRUPT.has(error.errcode & 0xff);
}
