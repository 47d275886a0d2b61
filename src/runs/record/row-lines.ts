import { createHash } from 'node:crypto';
import type { RecordedSession } from '../../core/run-record.ts';
import { reducedLineSchema, rowLineSchema } from './line-schemas.ts';
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

function hashOf(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  return hash.digest('hex');
}
