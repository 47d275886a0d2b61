import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { constants, createInflateRaw, inflateRawSync } from 'node:zlib';
import { Zip, ZipDeflate } from 'fflate';
import { readZipDirectory, type ZipEntry, zipEntryStart } from '../../core/zip-directory.ts';
import { writeFile } from '../../output/write-file.ts';
import { MANIFEST, parseManifest, SESSIONS, UnreadableRecord } from './record-folder.ts';

/** A record in one file, as it travels: a ZIP archive of its manifest and its sessions. */

/** Bytes of the end of an archive, enough for the directory of two files. */
const TAIL_BYTES = 64 * 1024;

/** The manifest of a run with hundreds of metrics has a tenth of it. */
const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

const CHUNK = 64 * 1024;

/** Writes an archive. @param sessions the bytes of `sessions.jsonl`, as they are read. @throws the system's error */
export async function writeArchive(file: string, manifest: string, sessions: Readable): Promise<void> {
  await writeFile(file, archiveOf(manifest, sessions));
}

/** @throws UnreadableRecord, or the system's error */
export async function copyArchive(file: string, target: string): Promise<void> {
  await openArchive(file);
  await writeFile(target, createReadStream(file));
}

async function* archiveOf(manifest: string, sessions: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let packed: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    packed.push(chunk);
  });
  const takePacked = () => {
    const chunks = packed;
    packed = [];
    return chunks;
  };
  const head = new ZipDeflate(MANIFEST);
  zip.add(head);
  head.push(Buffer.from(manifest), true);
  const body = new ZipDeflate(SESSIONS, { level: 6 });
  zip.add(body);
  for await (const chunk of sessions) {
    body.push(chunk);
    yield* takePacked();
  }
  body.push(new Uint8Array(), true);
  zip.end();
  yield* takePacked();
}

export interface OpenArchive {
  readonly manifest: ReturnType<typeof parseManifest>;
  /** The bytes of `sessions.jsonl`. */
  sessions(): Readable;
}

/** @throws UnreadableRecord, or the system's error */
export async function openArchive(file: string): Promise<OpenArchive> {
  await using handle = await open(file, 'r');
  const { size } = await handle.stat();
  const read = async (at: number, length: number) => {
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - at)));
    await handle.read(buffer, 0, buffer.length, at);
    return buffer;
  };
  const tailAt = Math.max(0, size - TAIL_BYTES);
  const entries = readZipDirectory(viewOf(await read(tailAt, TAIL_BYTES)), tailAt);
  const [manifest, sessions] = [entries?.get(MANIFEST), entries?.get(SESSIONS)];
  if (!(manifest && sessions) || manifest.size > MAX_MANIFEST_BYTES || manifest.packed > MAX_MANIFEST_BYTES) {
    throw new UnreadableRecord(`${file} is not a recorded run: it has no ${MANIFEST} and ${SESSIONS}, or is damaged.`);
  }
  const startOf = async ({ offset }: ZipEntry) => {
    const start = zipEntryStart(viewOf(await read(offset, CHUNK)), 0);
    if (start === undefined) throw new UnreadableRecord(`${file} is damaged: copy it again.`);
    return offset + start;
  };
  const text = inflate(await read(await startOf(manifest), manifest.packed), manifest, file);
  const start = await startOf(sessions);
  return {
    manifest: parseManifest(text, file),
    sessions: () => streamOf(file, start, sessions),
  };
}

function inflate(packed: Uint8Array, { method, size }: ZipEntry, file: string): string {
  try {
    return method === 0 ? packed.toString() : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }).toString();
  } catch {
    throw new UnreadableRecord(`${file} is damaged: copy it again.`);
  }
}

function streamOf(file: string, start: number, { packed, method }: ZipEntry): Readable {
  if (packed === 0) return new PassThrough().end();
  const source = createReadStream(file, { start, end: start + packed - 1 });
  if (method === 0) return source;
  const plain = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
  source.on('error', (error) => plain.destroy(error));
  plain.on('close', () => source.destroy());
  return source.pipe(plain);
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
