import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createMutex } from '../../core/async/mutex.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { RecordedSession, RunManifest } from '../../core/run-record.ts';
import type { Session } from '../../core/session.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { writeFile } from '../../output/write-file.ts';
import { encodePlanned, type PlannedSessions } from '../../runs/record/planned-line.ts';
import { encodeReport } from '../../runs/record/report-lines.ts';
import { encodeRows } from '../../runs/record/row-lines.ts';
import { SessionLineEncoder } from '../../runs/record/session-lines.ts';
import type { ReducedRun, RunWriter } from '../../runs/run-store.ts';
import { COMPRESSED_SESSIONS, MANIFEST, SESSIONS } from './record-folder.ts';
import { WriterLock } from './writer-lock.ts';

/** Smaller records are not worth compressing. */
const COMPRESS_BYTES = 64 * 1024;

export interface RecordWriterOptions {
  /** Called when no other process can write the record any more, before anything in it changes. @throws what refuses it */
  readonly check?: () => void;
  /** Called when the record is complete or stopped, with its manifest. */
  readonly onFinish: (manifest: RunManifest) => Promise<void>;
}

/** Writes a manifest; it is there completely or not at all. */
export async function writeManifest(folder: string, manifest: RunManifest): Promise<void> {
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
}

/**
 * Writes the record in a folder, and is the only one that does. Sessions are appended; nothing that was written changes.
 *
 * @throws RecordInUse where a living process writes it, what `check` throws, or the system's error
 */
export async function openRecordWriter(
  folder: string,
  manifest: RunManifest,
  options: RecordWriterOptions,
): Promise<RunWriter> {
  const lock = new WriterLock(folder);
  try {
    options.check?.();
    await writeManifest(folder, manifest);
    const file = await open(join(folder, SESSIONS), 'a', 0o600);
    return new RecordWriter(folder, lock, file, (await file.stat()).size, options);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

class RecordWriter implements RunWriter {
  readonly path: string;
  readonly #lock: WriterLock;
  readonly #file: FileHandle;
  readonly #options: RecordWriterOptions;
  readonly #encoder = new SessionLineEncoder();
  readonly #inTurn = createMutex();
  #bytes: number;
  #rowsAt = 0;
  /** The last line may have no end: the disk was full, or its process was killed. */
  #isTorn: boolean;
  #problem: string | null = null;

  constructor(path: string, lock: WriterLock, file: FileHandle, bytes: number, options: RecordWriterOptions) {
    this.path = path;
    this.#lock = lock;
    this.#file = file;
    this.#bytes = bytes;
    this.#isTorn = bytes > 0;
    this.#options = options;
  }

  get problem(): string | null {
    return this.#problem;
  }

  planned(planned: PlannedSessions): Promise<void> {
    return this.#attempt(() => this.#append(encodePlanned(planned)));
  }

  session(outcome: SessionOutcome, index: number, transcript?: Session): Promise<void> {
    return this.#attempt(() => this.#append(this.#encoder.encode(outcome, index, transcript)));
  }

  async finish(rows: readonly RecordedSession[], manifest: RunManifest, reduced?: ReducedRun): Promise<void> {
    // A record without one of its sessions is incomplete, and can be resumed.
    if (this.#problem === null) await this.#attempt(() => this.#appendReduced(rows, reduced));
    await this.#attempt(() => this.#file.close());
    const last =
      this.#problem === null ? manifest : { ...manifest, state: 'failed' as const, stoppedBy: this.#problem };
    await this.#attempt(() => writeManifest(this.path, last));
    if (last.state === 'complete') await compressSessions(this.path, this.#rowsAt);
    this.#lock[Symbol.dispose]();
    await this.#attempt(() => this.#options.onFinish(last));
  }

  async #appendReduced(rows: readonly RecordedSession[], reduced: ReducedRun | undefined): Promise<void> {
    if (this.#isTorn) await this.#append('');
    if (reduced) {
      for (const lines of joined(encodeReport(reduced.report, reduced.outcomes))) await this.#append(lines);
    }
    this.#rowsAt = this.#bytes;
    await this.#append(encodeRows(rows, this.#bytes));
    await this.#file.sync();
  }

  async #append(lines: string): Promise<void> {
    const bytes = Buffer.from(this.#isTorn ? `\n${lines}` : lines);
    this.#isTorn = true;
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written);
      written += bytesWritten;
      this.#bytes += bytesWritten;
    }
    this.#isTorn = false;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await this.#inTurn(work);
    } catch (error) {
      this.#encoder.reset();
      const reason = existsSync(this.path) ? errorMessage(error) : 'the folder was deleted';
      this.#problem ??= `The run is not completely recorded in ${this.path}: ${reason}.`;
    }
  }
}

/** The same lines, with fewer writes. */
function* joined(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < COMPRESS_BYTES) continue;
    yield text;
    text = '';
  }
  yield text;
}

/**
 * Replaces the sessions by the same lines, compressed, with the rows first: who reads only those stops there. If it fails, they
 * stay as they are.
 */
async function compressSessions(folder: string, rowsAt: number): Promise<void> {
  const plain = join(folder, SESSIONS);
  const temporary = join(folder, `${COMPRESSED_SESSIONS}.tmp`);
  try {
    if ((await stat(plain)).size < COMPRESS_BYTES) return;
    const target = await open(temporary, 'w', 0o600);
    await pipeline(rowsFirst(plain, rowsAt), createGzip(), target.createWriteStream({ flush: true }));
    await rename(temporary, join(folder, COMPRESSED_SESSIONS));
    await rm(plain);
  } catch {
    await rm(temporary, { force: true });
  }
}

/** Removes what a process left that was killed while it compressed: the sessions are still there as they were. */
export async function removeUnfinishedCompression(folder: string): Promise<void> {
  if (!existsSync(join(folder, SESSIONS))) return;
  await rm(join(folder, `${COMPRESSED_SESSIONS}.tmp`), { force: true });
  await rm(join(folder, COMPRESSED_SESSIONS), { force: true });
}

async function* rowsFirst(file: string, rowsAt: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { start: rowsAt });
  if (rowsAt > 0) yield* createReadStream(file, { end: rowsAt - 1 });
}
