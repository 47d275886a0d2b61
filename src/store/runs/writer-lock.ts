import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { getNumber, getString } from '../../core/json.ts';

/** A record that a process is writing has this file in its folder. */
const LOCK = 'writer.lock';

/** The writer touches the file so often. */
const BEAT_MS = 30_000;

/**
 * A file that was not touched for so long is that of a process that is gone: its id may belong to another one by now, or to one
 * of another machine or container, whose processes cannot be seen from here. A machine that sleeps touches nothing.
 */
const STALE_MS = 10 * 60_000;

/** The right to write a record, for one process. */
export class WriterLock implements Disposable {
  readonly #file: string;
  readonly #beat: NodeJS.Timeout;

  /** @throws the system's error; `EEXIST` where another process has it */
  constructor(folder: string) {
    this.#file = join(folder, LOCK);
    if (!isLocked(folder)) rmSync(this.#file, { force: true });
    writeFileSync(this.#file, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx', mode: 0o600 });
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
  const file = join(folder, LOCK);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || Math.abs(Date.now() - stats.mtimeMs) > STALE_MS) return false;
  const owner = readOwner(file);
  // A file without content is being written.
  return owner === null || owner.host !== hostname() || isRunning(owner.pid);
}

function readOwner(file: string): { readonly pid: number; readonly host: string } | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const [pid, host] = [getNumber(value, 'pid'), getString(value, 'host')];
    return pid === undefined || host === undefined ? null : { pid, host };
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
