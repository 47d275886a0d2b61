import { type FSWatcher, watch } from 'node:fs';
import { createPrivateFolder } from '../private-folder.ts';

/**
 * Calls back when something in the folder of the runs changes, which is also where their index is. Where a folder cannot be
 * watched, nothing calls.
 */
export function watchRuns(folder: string, onChange: () => void): Disposable {
  let watcher: FSWatcher | null = null;
  try {
    // A folder that does not exist yet cannot be watched.
    createPrivateFolder(folder);
    watcher = watch(folder, { persistent: false }, () => onChange());
    watcher.on('error', () => watcher?.close());
  } catch {
    // Such as on a disk that is read-only, or where the system has no watches left.
  }
  return { [Symbol.dispose]: () => watcher?.close() };
}
