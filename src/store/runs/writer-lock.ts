import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getNumber, getString } from '../../core/json.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/**
 * A record that a process is writing has such a file in its folder. A process that takes over from one that was killed adds the
 * next number: of several that try, one succeeds, and none can remove what another has just created.
 */
const LOCK = /^writer\.lock(?:\.(\d{1,6}))?$/;

/** The writer touches the file so often. */
const BEAT_MS = 30_000;

/**
 * Where it cannot be seen whether its process is running (on another machine, or in another container), a file that was not touched for so
 * long is that of a process that is gone. A machine that sleeps touches nothing.
 */
const STALE_MS = 10 * 60_000;

/** Another process writes the record. */
export class RecordInUse extends Error {
  override readonly name = 'RecordInUse';
}

/** The right to write a record, for one process. */
export class WriterLock implements Disposable {
  readonly #file: string;
  readonly #beat: NodeJS.Timeout;

  /** @throws RecordInUse, or the system's error */
  constructor(folder: string) {
    const before = locksIn(folder);
    if (before.some(isLive)) throw new RecordInUse();
    const number = Math.max(-1, ...before.map((lock) => lock.number)) + 1;
    this.#file = join(folder, number === 0 ? 'writer.lock' : `writer.lock.${number}`);
    createLock(this.#file);
    // What was seen before may be old: others may have taken over, ended and begun again since.
    const others = locksIn(folder).filter(({ file }) => file !== this.#file);
    if (others.some(isLive)) {
      rmSync(this.#file, { force: true });
      throw new RecordInUse();
    }
    for (const { file } of others) rmSync(file, { force: true });
    this.#beat = setInterval(() => this.#touch(), BEAT_MS);
    this.#beat.unref();
  }

  #touch(): void {
    const now = new Date();
    try {
      utimesSync(this.#file, now, now);
    } catch {
      // Without the file, or on a disk that is gone, there is nothing to protect.
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
    rmSync(this.#file, { force: true });
  }
}

/** Whether a living process writes the record in this folder. */
export function isLocked(folder: string): boolean {
  return locksIn(folder).some(isLive);
}

/** Takes away the lock that this process has, in whatever thread. @returns whether no other process has one. */
export function releaseLock(folder: string): boolean {
  const own = ownIdentity();
  for (const { file } of locksIn(folder)) {
    const owner = readOwner(file);
    if (owner && owner.pid === own.pid && owner.host === own.host) rmSync(file, { force: true });
  }
  return !isLocked(folder);
}

interface LockFile {
  readonly file: string;
  readonly number: number;
}

function locksIn(folder: string): LockFile[] {
  return namesIn(folder).flatMap((name) => {
    const match = LOCK.exec(name);
    return match ? [{ file: join(folder, name), number: Number(match[1] ?? 0) }] : [];
  });
}

/** Empty where there is no such folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function createLock(file: string): void {
  try {
    writeFileSync(file, JSON.stringify(ownIdentity()), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw new RecordInUse();
    // On a full disk there is an empty file, which would look like one that is being written.
    rmSync(file, { force: true });
    throw error;
  }
}

function isLive({ file }: LockFile): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  const owner = readOwner(file);
  // A file without content is being written.
  const isOwnerRunning = owner && isRunning(owner);
  return isOwnerRunning ?? Math.abs(Date.now() - stats.mtimeMs) <= STALE_MS;
}

function readOwner(file: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const [pid, host] = [getNumber(value, 'pid'), getString(value, 'host')];
    return pid === undefined || host === undefined ? null : { pid, host, start: getString(value, 'start') ?? null };
  } catch {
    return null;
  }
}
