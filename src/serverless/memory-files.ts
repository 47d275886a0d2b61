import type { FileSystem } from '../input/file-system.ts';

/** Files that exist in memory alone: nothing of the disk can be named. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array>): FileSystem {
  return {
    async stat(path) {
      const bytes = files.get(path);
      return bytes ? { kind: 'file', size: bytes.length } : null;
    },
    async read(path) {
      const bytes = files.get(path);
      if (!bytes) throw Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' });
      return bytes;
    },
    list: async () => [],
    leadsOutside: async () => false,
  };
}
