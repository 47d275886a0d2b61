import { readFileSync, realpathSync, statSync } from 'node:fs';

/** The text of a module that is loaded. Loaders are synchronous, and a module may be as large as its author wants. */
export function readModuleFile(file: string): string {
  return readFileSync(file, 'utf8');
}

export function isModuleFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Without symbolic links; the path itself where nothing is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
