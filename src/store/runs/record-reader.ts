import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import type { RecordedSession, RunManifest } from '../../core/run-record.ts';
import type { Session } from '../../core/session.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { evaluateSessionGates } from '../../engine/gates.ts';
import { toSessionReport } from '../../engine/reduce.ts';
import { decodePlanned, type PlannedSessions } from '../../runs/record/planned-line.ts';
import { type RecordedReport, ReportLineDecoder } from '../../runs/record/report-lines.ts';
import { decodeAttempts, decodeRows, decodeRowsAt } from '../../runs/record/row-lines.ts';
import { decodeTranscript, SessionLineDecoder } from '../../runs/record/session-lines.ts';
import { toRecordedSession } from '../../runs/record/session-row.ts';
import type { RecordedAttemptRow, RunRecord } from '../../runs/run-store.ts';
import { readLines } from './read-lines.ts';
import { openArchive, writeArchive } from './record-archive.ts';
import { COMPRESSED_SESSIONS, readManifest, SESSIONS } from './record-folder.ts';

/** The sessions of a record, wherever they are. */
interface SessionsFile {
  /** The bytes of `sessions.jsonl`, as far as they can be read. */
  stream(): Readable;
  /** The path where they can be read at any position; null where they are compressed. */
  readonly plain: string | null;
}

/** Reads a record in a folder. @throws UnreadableRecord, or the system's error */
export function openRecordFolder(folder: string): RunRecord {
  return new RecordReader(folder, readManifest(folder), sessionsIn(folder));
}

/** Reads a record in one file. @throws UnreadableRecord, or the system's error */
export async function openRecordArchive(file: string): Promise<RunRecord> {
  const { manifest, sessions } = await openArchive(file);
  return new RecordReader(file, manifest, { plain: null, stream: sessions });
}

/** Writes a record as one file, which has the same lines. @throws the system's error */
export async function exportRecord(folder: string, file: string): Promise<void> {
  const manifest = `${JSON.stringify(readManifest(folder), null, 1)}\n`;
  await writeArchive(file, manifest, sessionsIn(folder).stream());
}

/** The compressed file replaces the other when it is complete: while there are both, it may not be. */
function sessionsIn(folder: string): SessionsFile {
  const plain = join(folder, SESSIONS);
  const compressed = join(folder, COMPRESSED_SESSIONS);
  if (existsSync(plain) || !existsSync(compressed)) return { plain, stream: () => createReadStream(plain) };
  return { plain: null, stream: () => unzip(createReadStream(compressed)) };
}

/** What follows a truncated or damaged part is lost, what precedes it is not. */
function unzip(compressed: Readable): Readable {
  const plain = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  compressed.on('error', (error) => plain.destroy(error));
  plain.on('close', () => compressed.destroy());
  return compressed.pipe(plain);
}

/** Rows of far more sessions than a run has. A hostile archive may unpack to anything. */
const MAX_ROW_BYTES = 2 ** 30;

/** Enough for the line that ends a record. */
const TAIL_BYTES = 4096;

class RecordReader implements RunRecord {
  readonly path: string;
  readonly manifest: RunManifest;
  readonly #file: SessionsFile;

  constructor(path: string, manifest: RunManifest, file: SessionsFile) {
    this.path = path;
    this.manifest = manifest;
    this.#file = file;
  }

  async rows(): Promise<readonly RecordedSession[]> {
    const lines = (await this.#rowLinesAtEnd()) ?? (await this.#rowLines());
    return decodeRows(lines) ?? (await this.#rowsOfSessions());
  }

  async attempts(groups: ReadonlySet<string>): Promise<readonly RecordedAttemptRow[]> {
    return decodeAttempts((await this.#rowLinesAtEnd()) ?? (await this.#rowLines()), groups);
  }

  async *sessions(): AsyncIterable<SessionOutcome> {
    for await (const { outcome } of this.#inOrder(() => null)) yield outcome;
  }

  transcribedSessions(): AsyncIterable<TranscribedSession> {
    return this.#inOrder(decodeTranscript);
  }

  async *transcripts(): AsyncIterable<Session> {
    for await (const { transcript } of this.#inOrder(decodeTranscript)) if (transcript) yield transcript;
  }

  async planned(): Promise<PlannedSessions | null> {
    for await (const line of readLines(this.#file.stream())) {
      if (line.subarray(0, PLANNED.length).equals(PLANNED)) return decodePlanned(line.toString());
      if (sessionIndex(line) !== null) return null;
    }
    return null;
  }

  async *#inOrder(
    decodeSession: (line: string, id: string) => Session | null,
  ): AsyncGenerator<TranscribedSession, void> {
    const order = await this.#order();
    const wanted = new Set(order);
    const decoder = new SessionLineDecoder();
    const waiting = new Map<number, TranscribedSession | null>();
    // A session follows its transcript.
    let transcript: Buffer | null = null;
    let next = 0;
    let number = 0;
    for await (const line of readLines(this.#file.stream())) {
      const index = sessionIndex(line);
      const isWanted = index !== null && wanted.has(number);
      if (isWanted || line.subarray(0, SHARED.length).equals(SHARED)) {
        const outcome = decoder.decode(line.toString());
        if (isWanted) {
          const session = outcome && transcript && decodeSession(transcript.toString(), outcome.id);
          waiting.set(number, outcome && { outcome, transcript: session });
        }
      }
      transcript = line.subarray(0, TRANSCRIPT.length).equals(TRANSCRIPT) ? line : null;
      number += 1;
      for (let at = order[next]; at !== undefined && waiting.has(at); at = order[next]) {
        const session = waiting.get(at);
        waiting.delete(at);
        next += 1;
        if (session) yield session;
      }
    }
  }

  async report(): Promise<RecordedReport | null> {
    const decoder = new ReportLineDecoder();
    for await (const line of readLines(this.#file.stream())) {
      if (sessionIndex(line) !== null) decoder.clear();
      else if (line.subarray(0, REPORT.length).equals(REPORT)) decoder.add(line.toString());
    }
    return decoder.end();
  }

  async transcript(id: string): Promise<Session | null> {
    const start = Buffer.from(`{"type":"transcript","id":${JSON.stringify(id)},`);
    let found: Buffer | null = null;
    for await (const line of readLines(this.#file.stream())) {
      if (line.subarray(0, start.length).equals(start)) found = line;
    }
    return found && decodeTranscript(found.toString(), id);
  }

  /** The numbers of the lines of sessions in the order of the input. A session that is there twice counts as last written. */
  async #order(): Promise<readonly number[]> {
    const byIndex = new Map<number, number>();
    let number = 0;
    for await (const line of readLines(this.#file.stream())) {
      const index = sessionIndex(line);
      if (index !== null) byIndex.set(index, number);
      number += 1;
    }
    return [...byIndex].sort(([a], [b]) => a - b).map(([, line]) => line);
  }

  /** Reads nothing else of the file; null where it does not end with rows. */
  async #rowLinesAtEnd(): Promise<readonly string[] | null> {
    if (this.#file.plain === null || !existsSync(this.#file.plain)) return null;
    await using file = await open(this.#file.plain, 'r');
    const { size } = await file.stat();
    const tail = await readAt(file, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES));
    const last = tail.subarray(0, -1).lastIndexOf(NEWLINE) + 1;
    const rowsAt = decodeRowsAt(tail.subarray(last).toString().trimEnd());
    if (rowsAt === null || rowsAt < 0 || rowsAt > size) return null;
    const text = (await readAt(file, rowsAt, size - rowsAt)).toString();
    return text.trimEnd().split('\n');
  }

  /** The last rows that no session follows. Compressed records begin with them. */
  async #rowLines(): Promise<readonly string[]> {
    let lines: string[] = [];
    let isFirst = true;
    let bytes = 0;
    for await (const line of readLines(this.#file.stream())) {
      const isEnd = line.subarray(0, REDUCED.length).equals(REDUCED);
      if (isEnd || line.subarray(0, ROW.length).equals(ROW)) {
        bytes += line.length;
        if (bytes > MAX_ROW_BYTES) return [];
        lines.push(line.toString());
      } else {
        lines = [];
        isFirst = false;
      }
      if (isEnd && isFirst) break;
    }
    return lines;
  }

  async #rowsOfSessions(): Promise<readonly RecordedSession[]> {
    const rows: RecordedSession[] = [];
    const plan = { ...this.manifest.plan, boundaryKey: null };
    for await (const outcome of this.sessions()) {
      const report = toSessionReport(outcome, evaluateSessionGates(outcome, outcome.problems, plan));
      const problems = outcome.problems.map(({ occurrence }) => occurrence);
      rows.push(toRecordedSession({ outcome, report, problems, plan, file: outcome.source.file }));
    }
    return rows;
  }
}

interface TranscribedSession {
  readonly outcome: SessionOutcome;
  readonly transcript: Session | null;
}

const NEWLINE = 10;
const PLANNED = Buffer.from('{"type":"planned",');
const TRANSCRIPT = Buffer.from('{"type":"transcript",');
const SHARED = Buffer.from('{"type":"shared",');
const ROW = Buffer.from('{"type":"row",');
/** Of the report, and of each session in it. */
const REPORT = Buffer.from('{"type":"report');
const REDUCED = Buffer.from('{"type":"reduced",');
const SESSION = /^\{"type":"session","index":(\d{1,15}),/;

/** Null for lines of other types. */
function sessionIndex(line: Buffer): number | null {
  const index = SESSION.exec(line.toString('latin1', 0, 60))?.[1];
  return index === undefined ? null : Number(index);
}

async function readAt(
  file: { read(buffer: Uint8Array, offset: number, length: number, at: number): Promise<{ bytesRead: number }> },
  at: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}
