import { randomUUID } from 'node:crypto';
import { constants, rmSync, type Stats } from 'node:fs';
import {
  access,
  appendFile,
  chmod,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The one writer of files. Only the databases of `src/store` are written elsewhere, by SQLite. */

export type FileText = string | Iterable<string> | AsyncIterable<string | Uint8Array>;

export interface WriteOptions {
  /** Files that are read: none of them is replaced, whatever path or link leads to it. */
  readonly inputs?: readonly string[];
  /** Fail where something exists at the path. */
  readonly isNew?: boolean;
}

/** The file to write is one that is read. */
export class WouldReplaceInput extends Error {
  override readonly name = 'WouldReplaceInput';
}

/**
 * Writes a file completely or not at all: into a temporary file beside it, which then takes its place with its mode. Links
 * are followed. Pipes and devices are written directly.
 *
 * @throws WouldReplaceInput, or the system's error
 */
export async function writeFile(path: string, text: FileText, options: WriteOptions = {}): Promise<void> {
  const { inputs = [], isNew = false } = options;
  if (await isOneOf(path, inputs)) throw new WouldReplaceInput(`${path} is read.`);
  if (isNew) return createFile(path, text);
  const existing = await statOrNull(path);
  if (isStream(path, existing)) return writeTo(await open(path, 'a'), text);
  return replaceFile(await targetOf(path), existing, text);
}

/** Creates a folder and those above it, where they do not exist. @throws the system's error */
export async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

/** Checks before the work whether its result can be written. @throws the system's error */
export async function checkWritable(path: string): Promise<void> {
  const existing = await statOrNull(path);
  if (existing?.isDirectory()) throw systemError('EISDIR');
  if (!isStream(path, existing)) await access(existing ? path : dirname(await targetOf(path)), constants.W_OK);
}

/** Whether a path leads to one of the others, by links or by hard links too. */
export async function isOneOf(path: string, others: readonly string[]): Promise<boolean> {
  if (others.length === 0) return false;
  const [own, ...identities] = await Promise.all([path, ...others].map(identify));
  return identities.includes(own ?? '');
}

/** The same for all paths to a file: its device and number, or the path of what is no file yet. */
export async function identify(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  if (stats?.isFile()) return `${stats.dev}:${stats.ino}`;
  const folder = await realpath(dirname(resolve(path))).catch(() => dirname(resolve(path)));
  return join(folder, basename(path));
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Descriptors by path: what is behind them belongs to another program, also where it is a file. */
const DESCRIPTOR = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/)|proc\/)/;

function isStream(path: string, existing: Stats | null): boolean {
  if (DESCRIPTOR.test(resolve(path))) return true;
  return existing !== null && !existing.isFile() && !existing.isDirectory();
}

/** The path that links lead to, which may not exist yet. */
async function targetOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  const link = await readlink(path).catch(() => null);
  // A link to itself has failed before, with ELOOP.
  return link === null ? resolve(path) : targetOf(resolve(dirname(path), link));
}

async function createFile(path: string, text: FileText): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await writeTo(handle, text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function replaceFile(path: string, existing: Stats | null, text: FileText): Promise<void> {
  if (existing?.isDirectory()) throw systemError('EISDIR');
  // A folder may allow to replace what its owner does not allow to change.
  if (existing) await access(path, constants.W_OK);
  const temporary = join(dirname(path), `.turnwise-${randomUUID()}.tmp`);
  const handle = await openTemporary(temporary, existing);
  // The folder takes no new file.
  if (!handle) return writeTo(await open(path, 'w'), text);
  const remove = () => rmSync(temporary, { force: true });
  process.once('exit', remove);
  try {
    await writeTo(handle, text);
    if (existing) await chmod(temporary, existing.mode & 0o7777);
    await moveTo(path, temporary, existing !== null);
  } finally {
    process.off('exit', remove);
    // After the move there is nothing to remove.
    await rm(temporary, { force: true });
  }
}

/** Null where only the existing file can be written. */
async function openTemporary(temporary: string, existing: Stats | null): Promise<FileHandle | null> {
  try {
    return await open(temporary, 'wx', existing ? existing.mode & 0o777 : 0o666);
  } catch (error) {
    if (existing && hasCode(error, 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

async function moveTo(path: string, temporary: string, exists: boolean): Promise<void> {
  try {
    await rename(temporary, path);
  } catch (error) {
    // A file that is mounted, or open on Windows, can be written and not replaced.
    if (!exists || !hasCode(error, 'EBUSY', 'EPERM', 'EACCES', 'EXDEV')) throw error;
    await copyFile(temporary, path);
  }
}

async function writeTo(handle: FileHandle, text: FileText): Promise<void> {
  // Errors of a full disk may come only when the data is flushed.
  const isFile = (await handle.stat()).isFile();
  await pipeline(Readable.from(typeof text === 'string' ? [text] : text), handle.createWriteStream({ flush: isFile }));
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Adds to a file that others write too, such as the log of a step. @throws the system's error */
export async function appendText(path: string, text: string): Promise<void> {
  await appendFile(path, text);
}

/**
 * Adds whole lines to a file of our own: not through a link, and on a new line where a crash has left a part of one.
 *
 * @throws the system's error
 */
export async function appendLines(path: string, lines: string): Promise<void> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  await using handle = await open(path, flags, 0o600);
  const { size } = await handle.stat();
  const isTorn = size > 0 && (await handle.read(new Uint8Array(1), 0, 1, size - 1)).buffer[0] !== NEWLINE;
  await handle.write(isTorn ? `\n${lines}` : lines);
}

const NEWLINE = 0x0a;

/** Deletes a file of our own, if it exists. @throws the system's error */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
