import { createWriteStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../core/error-message.ts';
import type { ReportText } from '../reports/report-writer.ts';
import type { CommandHost, TextOutput } from './host.ts';
import { UsageError } from './usage-error.ts';

/**
 * Checks before the work is done that its result can be written.
 *
 * @param option that names the file, for messages. @throws UsageError
 */
export async function checkOutputFile(
  file: string | undefined,
  option: string,
  host: CommandHost,
  extension = '.json',
): Promise<void> {
  if (file === undefined) return;
  const path = resolve(host.cwd, file);
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory()) throw new UsageError(`${option}: there is no folder ${dirname(file)}. Create it first.`);
  const existing = await stat(path).catch(() => null);
  if (existing?.isDirectory()) {
    throw new UsageError(
      `${option}: ${file} is a folder. Name a file in it, such as ${join(file, `report${extension}`)}.`,
    );
  }
}

/** @throws UsageError where the output would replace an input. */
export async function checkNotInput(
  file: string | undefined,
  option: string,
  inputs: readonly string[],
  host: CommandHost,
): Promise<void> {
  if (file === undefined) return;
  const path = await realPath(file, host);
  const inputPaths = await Promise.all(inputs.map((input) => realPath(input, host)));
  if (!inputPaths.includes(path)) return;
  throw new UsageError(`${option} would replace ${file}, which is an input. Name another file.`);
}

/** An absolute path, with symbolic links resolved if the file exists. */
export async function realPath(file: string, { cwd }: CommandHost): Promise<string> {
  const path = resolve(cwd, file);
  return realpath(path).catch(() => path);
}

/** Writes a text to the file, or else to standard output. @throws UsageError when the file cannot be written. */
export async function writeOutput(
  text: ReportText,
  file: string | undefined,
  option: string,
  host: CommandHost,
): Promise<void> {
  if (file === undefined) return await writeAll(text, host.stdout);
  try {
    await pipeline(Readable.from(joinChunks(text)), createWriteStream(resolve(host.cwd, file)));
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be written: ${errorMessage(error)}.`);
  }
}

/** Writes a text to standard output. */
export async function writeStdout(text: ReportText, host: CommandHost): Promise<void> {
  await writeAll(text, host.stdout);
}

async function writeAll(text: ReportText, output: TextOutput): Promise<void> {
  for await (const chunk of joinChunks(text)) await output.write(chunk);
}

const CHUNK_SIZE = 65_536;

/** Joins small pieces, so that each line is not a system call of its own. */
async function* joinChunks(text: ReportText): AsyncGenerator<string> {
  let joined = '';
  for await (const chunk of typeof text === 'string' ? [text] : text) {
    joined += chunk;
    if (joined.length < CHUNK_SIZE) continue;
    yield joined;
    joined = '';
  }
  if (joined !== '') yield joined;
}
