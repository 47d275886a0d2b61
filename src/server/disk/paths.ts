import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether a path is one of these files, or anywhere in one of these folders. */
export function isWithin(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (paths.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}

/** Whether a path is anywhere in a folder, and not the folder itself. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Null for what is not on disk. */
export function uriToPath(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}
