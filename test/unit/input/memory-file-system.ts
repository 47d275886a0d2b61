import type { FileSystem } from '../../../src/input/file-system.ts';

/** A file system in memory: texts, bytes, and errors that reading a path rejects with. */
export function memoryFileSystem(entries: Readonly<Record<string, string | Uint8Array | Error>>): FileSystem {
  const paths = new Map(Object.entries(entries));
  return {
    async stat(path) {
      const entry = paths.get(plain(path));
      if (entry !== undefined) return { kind: 'file', size: entry instanceof Error ? 0 : bytesOf(entry).length };
      return inside(path).length > 0 ? { kind: 'directory', size: 0 } : null;
    },
    async read(path) {
      const entry = paths.get(plain(path));
      if (entry === undefined) throw systemError('ENOENT');
      if (entry instanceof Error) throw entry;
      return bytesOf(entry);
    },
    leadsOutside: async () => false,
    async list(path) {
      const names = new Map(
        inside(path).map((rest) => [rest.split('/', 1)[0] ?? '', rest.includes('/') ? 'directory' : 'file'] as const),
      );
      return [...names].map(([name, kind]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };

  function plain(path: string): string {
    return path.replace(/^\.\//, '');
  }

  function inside(folder: string): string[] {
    const prefix = folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`;
    return [...paths.keys()].flatMap((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : []));
  }
}

export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code });
}
