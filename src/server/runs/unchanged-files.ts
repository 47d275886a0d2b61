import { resolve } from 'node:path';
import { readTrace } from '../../app/read-trace.ts';
import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import { sessionHashes } from '../../core/session-hashes.ts';
import type { FileSystem } from '../../input/file-system.ts';

/** The files of a run that still have its sessions as it evaluated them. */
export interface UnchangedFiles {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Sessions in these files. */
  readonly sessions: number;
  /** The sessions of all other files. */
  readonly missing: readonly RecordedSession[];
}

/** One file at a time, so that a run of many files needs the memory of one. @param isTrusted whether code of configurations may run. */
export async function findUnchangedFiles(
  { manifest, rows }: RecordedRun,
  {
    files,
    isTrusted,
    signal,
  }: { readonly files: FileSystem; readonly isTrusted: boolean; readonly signal: AbortSignal },
): Promise<UnchangedFiles> {
  const unchanged: string[] = [];
  const missing: RecordedSession[] = [];
  for (const [file, recorded] of Map.groupBy(rows, (row) => row.file)) {
    signal.throwIfAborted();
    const path = resolve(manifest.project, file);
    const read = file === '-' ? [] : await readTrace(path, isTrusted, files).catch(() => []);
    const contents = new Set(read.map((session) => sessionHashes(session).content));
    if (recorded.every(({ content }) => contents.has(content))) unchanged.push(path);
    else missing.push(...recorded);
  }
  return { files: unchanged, sessions: rows.length - missing.length, missing };
}
