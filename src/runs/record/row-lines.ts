import { createHash } from 'node:crypto';
import type { RecordedSession } from '../../core/run-record.ts';
import type { RecordedAttemptRow } from '../run-store.ts';
import { attemptLineSchema, reducedLineSchema, rowLineSchema } from './line-schemas.ts';
import { parseLine, toLine } from './lines.ts';

/**
 * The lines of the reduce step: a row per session in input order, and one that ends them.
 *
 * @param rowsAt where they begin in the file, in bytes.
 */
export function encodeRows(rows: readonly RecordedSession[], rowsAt: number): string {
  const lines = rows.map((row) => toLine({ type: 'row', row }));
  const reduced = { type: 'reduced', rows: rows.length, sha256: hashOf(lines), rowsAt };
  return `${lines.join('')}${toLine(reduced)}`;
}

/** Where the rows begin, if this is the line that ends them. */
export function decodeRowsAt(line: string): number | null {
  return parseLine(line, reducedLineSchema)?.rowsAt ?? null;
}

/** The rows in these lines, the last of which ends them; null where one is missing or damaged. */
export function decodeRows(lines: readonly string[]): readonly RecordedSession[] | null {
  const end = parseLine(lines.at(-1) ?? '', reducedLineSchema);
  const rowLines = lines.slice(0, -1);
  if (end?.rows !== rowLines.length) return null;
  if (end.sha256 !== hashOf(rowLines.map((line) => `${line}\n`))) return null;
  const rows = rowLines.flatMap((line) => parseLine(line, rowLineSchema)?.row ?? []);
  return rows.length === rowLines.length ? rows : null;
}

/** Those of these tasks, of rows in these lines. Rows of other tasks are not parsed. */
export function decodeAttempts(lines: readonly string[], groups: ReadonlySet<string>): RecordedAttemptRow[] {
  return lines.flatMap((line) => {
    const group = GROUP.exec(line)?.[1];
    if (group === undefined || !groups.has(group)) return [];
    return parseLine(line, attemptLineSchema)?.row ?? [];
  });
}

/** As `attempt` begins; a text cannot contain it, since its quotes are escaped. */
const GROUP = /,"attempt":\{"group":"([0-9a-f]{16})"/;

function hashOf(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  return hash.digest('hex');
}
