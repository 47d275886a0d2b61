import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSystem } from './file-system.ts';

type Kind = 'file' | 'directory' | 'other';

/** Codes of a path that does not exist; ENOTDIR: a parent is a file. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** The real file system. Follows links to files but not to folders, which may be cyclic. */
export const nodeFileSystem: FileSystem = {
  async stat(path) {
    try {
      const stats = await stat(path);
      // A shell passes `<(…)` as a pipe.
      const isFile = stats.isFile() || stats.isFIFO();
      const kind = isFile ? 'file' : stats.isDirectory() ? 'directory' : 'other';
      return { kind, size: stats.size, modified: stats.mtimeMs };
    } catch (error) {
      if (error instanceof Error && 'code' in error && MISSING.has(error.code)) return null;
      throw error;
    }
  },

  read(path, signal) {
    return readFile(path, { signal });
  },

  async readStart(path, bytes) {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(new Uint8Array(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  },

  async list(path) {
    const entries = await readdir(path, { withFileTypes: true });
    const listed = await Promise.all(
      entries.map(async (entry) => ({ name: entry.name, kind: await entryKind(entry) })),
    );
    return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  },
};

async function entryKind(entry: Dirent): Promise<Kind> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (!entry.isSymbolicLink()) return 'other';
  try {
    return (await stat(join(entry.parentPath, entry.name))).isFile() ? 'file' : 'other';
  } catch {
    // A dangling link: reading it reports the problem.
    return 'file';
  }
}
