import { resolve } from 'node:path';
import type { FileStat, FileSystem } from '../../input/file-system.ts';
import { contentHash } from '../disk/content-hash.ts';
import type { FileStamp } from '../disk/file-stamp.ts';

/** A file system that reports the stamp of each file that is read, by absolute path. */
export function hashingFiles(
  files: FileSystem,
  onRead: (path: string, stamp: FileStamp) => void,
  now: () => number = Date.now,
): FileSystem {
  const stats = new Map<string, { readonly facts: FileStat | null; readonly at: number }>();
  const stat = async (path: string) => {
    const at = now();
    const facts = await files.stat(path);
    stats.set(path, { facts, at });
    return facts;
  };
  return {
    stat,
    list: (path) => files.list(path),
    leadsOutside: (path, folder) => files.leadsOutside(path, folder),
    async read(path, signal) {
      // Checked before reading, so that a write in between shows as newer.
      if (!stats.has(path)) await stat(path);
      const { facts = null, at = now() } = stats.get(path) ?? {};
      stats.delete(path);
      const bytes = await files.read(path, signal);
      onRead(resolve(path), {
        hash: contentHash(path, bytes),
        size: bytes.length,
        modified: facts?.modified ?? null,
        at,
      });
      return bytes;
    },
  };
}
