import { resolve } from 'node:path';
import type { FileStat, FileSystem } from '../../input/file-system.ts';
import { contentHash } from '../disk/content-hash.ts';
import type { FileStamp } from '../disk/file-stamp.ts';

/** Files that tell what is read from them, by absolute paths. */
export function hashingFiles(
  files: FileSystem,
  onRead: (path: string, stamp: FileStamp) => void,
  now: () => number = Date.now,
): FileSystem {
  const found = new Map<string, { readonly facts: FileStat | null; readonly at: number }>();
  const stat = async (path: string) => {
    const at = now();
    const facts = await files.stat(path);
    found.set(path, { facts, at });
    return facts;
  };
  return {
    stat,
    list: (path) => files.list(path),
    async read(path, signal) {
      // Before it is read: what is written meanwhile is then seen to be newer.
      if (!found.has(path)) await stat(path);
      const { facts = null, at = now() } = found.get(path) ?? {};
      found.delete(path);
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
