import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its user can read, with its missing parents.
 *
 * Step by step, since Node's `recursive` never returns if an existing folder reports that it does not exist, as `/proc` does.
 *
 * @throws what the file system threw
 */
export function createPrivateFolder(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) createPrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Systems refuse to make what is there for reasons of their own: a root that cannot be written, for one.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
