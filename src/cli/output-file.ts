import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../core/error-message.ts';
import type { CommandHost, TextOutput } from './host.ts';
import { UsageError } from './usage-error.ts';

/** Finds out before the work is done whether its result can be written. @throws UsageError */
export async function checkOutputFile(file: string | undefined, host: CommandHost): Promise<void> {
  if (file === undefined) return;
  const path = resolve(host.cwd, file);
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory())
    throw new UsageError(`--out ${file}: there is no folder ${dirname(file)}; make it first.`);
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory()) throw new UsageError(`--out ${file}: this is a folder; name a file in it.`);
}

/** Writes pieces of text to the file, or else to standard output. @throws UsageError when the file cannot be written. */
export async function writeOutput(
  chunks: Iterable<string>,
  file: string | undefined,
  host: CommandHost,
): Promise<void> {
  if (file === undefined) return await writeAll(chunks, host.stdout);
  try {
    await pipeline(Readable.from(joinChunks(chunks)), createWriteStream(resolve(host.cwd, file)));
  } catch (error) {
    const reason = errorMessage(error);
    throw new UsageError(`--out ${file}: it cannot be written: ${reason}.`);
  }
}

async function writeAll(chunks: Iterable<string>, output: TextOutput): Promise<void> {
  for (const chunk of joinChunks(chunks)) await output.write(chunk);
}

const CHUNK_SIZE = 65_536;

/** Small pieces together, so that each line is not a system call of its own. */
function* joinChunks(chunks: Iterable<string>): Generator<string> {
  let piece = '';
  for (const chunk of chunks) {
    piece += chunk;
    if (piece.length < CHUNK_SIZE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
