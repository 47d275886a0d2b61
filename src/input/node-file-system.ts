import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  open as openDescriptor,
  openSync,
  readSync,
  type Stats,
} from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { MAX_BYTES } from './decode.ts';
import {
  type FileStat,
  type FileSystem,
  FileTooLarge,
  type FolderEntry,
  type PartialFile,
  RefusedFile,
} from './file-system.ts';

/** Codes of a path that does not exist; ENOTDIR: a parent is a file. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/**
 * The one reader of files. It reads regular files only: a pipe may never end, and a device may give anything. Follows links
 * to files but not to folders, which may be cyclic.
 */
export const nodeFileSystem: FileSystem = {
  stat: (path) => statOf(path, null),
  read: (path, signal) => readRegular(path, signal),

  async readStart(path, bytes) {
    const { handle } = await openRegular(path);
    await using file = handle;
    const { buffer, bytesRead } = await file.read(new Uint8Array(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  },

  async openParts(path) {
    const { handle, stats } = await openRegular(path);
    await handle.close();
    if (stats.size > MAX_BYTES) throw new FileTooLarge(stats.size);
    return partsOf(path, stats);
  },

  async list(path) {
    const entries = await readdir(path, { withFileTypes: true });
    const listed = await Promise.all(entries.map(folderEntry));
    return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  async leadsOutside(path, folder) {
    try {
      const [target, root] = await Promise.all([realpath(path), realpath(resolve(folder))]);
      const way = relative(root, target);
      return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
    } catch {
      // A dangling link: reading it reports the problem.
      return false;
    }
  },
};

/** The file system for a command line: a file that the user named may be a pipe, which shells pass as `<(…)`. */
export function withPipe(pipe: string): FileSystem {
  return {
    ...nodeFileSystem,
    stat: (path) => statOf(path, pipe),
    read: async (path, signal) =>
      path === pipe && (await stat(path)).isFIFO() ? readPipe(path, signal) : readRegular(path, signal),
  };
}

/** @param pipe the path of a pipe that counts as a file */
async function statOf(path: string, pipe: string | null): Promise<FileStat | null> {
  try {
    const stats = await stat(path);
    const isFile = stats.isFile() || (path === pipe && stats.isFIFO());
    const kind = isFile ? 'file' : stats.isDirectory() ? 'directory' : 'other';
    return { kind, size: stats.size, modified: stats.mtimeMs };
  } catch (error) {
    if (error instanceof Error && 'code' in error && MISSING.has(error.code)) return null;
    throw error;
  }
}

/** Windows has no such flag, and no pipes among its files. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

async function openRegular(path: string): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  // Opening a device may already do something, and opening a pipe waits for its writer.
  requireRegular(await stat(path));
  const handle = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    // It may have been replaced.
    const stats = await handle.stat();
    requireRegular(stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function requireRegular(stats: { isFile(): boolean; isDirectory(): boolean }): void {
  if (stats.isDirectory()) throw new RefusedFile('it is a folder');
  if (!stats.isFile()) throw new RefusedFile('it is a pipe or a device, not a file');
}

/** How much a file may grow while it is read. Files of `/proc` claim to be empty and may have no end. */
const MAX_GROWTH = 16 * 2 ** 20;

/** Between two chunks, reading can be aborted. */
const CHUNK = 8 * 2 ** 20;

async function readRegular(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const { handle, stats } = await openRegular(path);
  await using file = handle;
  const { size } = stats;
  if (size > MAX_BYTES) throw new FileTooLarge(size);
  // One byte more than expected, to see the end without another buffer.
  let buffer = Buffer.allocUnsafeSlow(size === 0 ? 65_536 : size + 1);
  let length = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, length, Math.min(CHUNK, buffer.length - length), null);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > MAX_BYTES) throw new FileTooLarge(length);
    if (length > size + MAX_GROWTH) throw new RefusedFile('it has no end, or grows while it is read');
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length + 65_536);
      buffer.copy(larger);
      buffer = larger;
    }
  }
}

/** Logs grow while they are read: only what is behind the end of the first time may change. */
function partsOf(path: string, { dev, ino, size, mtimeMs }: Stats): PartialFile {
  return {
    size,
    read(start, end) {
      const file = openSync(path, O_RDONLY | O_NONBLOCK);
      try {
        const now = fstatSync(file);
        const isSame = now.dev === dev && now.ino === ino && (now.size > size || now.mtimeMs === mtimeMs);
        if (!isSame || now.size < size) throw new RefusedFile('it was changed while it was read');
        const bytes = new Uint8Array(end - start);
        for (let length = 0; length < bytes.length; ) {
          const read = readSync(file, bytes, length, bytes.length - length, start + length);
          if (read === 0) throw new RefusedFile('it was changed while it was read');
          length += read;
        }
        return bytes;
      } finally {
        closeSync(file);
      }
    },
  };
}

/** A socket waits for data without a thread, so that an abort ends it. */
async function readPipe(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const { Socket } = await import('node:net');
  // A descriptor and not a `FileHandle`: the socket closes it.
  const fd = await promisify(openDescriptor)(path, O_RDONLY | O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  const stop = () => socket.destroy(new DOMException('Reading was stopped.', 'AbortError'));
  signal?.addEventListener('abort', stop, { once: true });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of socket) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new FileTooLarge(length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  } finally {
    signal?.removeEventListener('abort', stop);
    socket.destroy();
  }
}

async function folderEntry(entry: Dirent): Promise<FolderEntry> {
  const { name } = entry;
  if (entry.isFile()) return { name, kind: 'file' };
  if (entry.isDirectory()) return { name, kind: 'directory' };
  if (!entry.isSymbolicLink()) return { name, kind: 'other' };
  try {
    const isFile = (await stat(join(entry.parentPath, name))).isFile();
    return { name, kind: isFile ? 'file' : 'other', isLink: true };
  } catch {
    // A dangling link: reading it reports the problem.
    return { name, kind: 'file', isLink: true };
  }
}
