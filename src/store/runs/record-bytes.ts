import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunStore } from '../../runs/run-store.ts';
import { openRunStore } from './run-store.ts';

/**
 * Records a run in one file whose bytes are passed on, such as to a database. Nothing stays on this machine.
 *
 * @param work records the run in the store, as this file. @returns what it returned, and the bytes of the file
 */
export async function recordAsBytes<Result>(
  work: (store: RunStore, file: string) => Promise<Result>,
): Promise<{ readonly result: Result; readonly bytes: Uint8Array }> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-record-'));
  try {
    using store = openRunStore(folder, { cwd: folder, warn() {} });
    const file = join(folder, 'run.turnwise.zip');
    const result = await work(store, file);
    return { result, bytes: readFileSync(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
