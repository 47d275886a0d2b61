import { dirname, join, resolve } from 'node:path';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { isScenarioFile } from '../core/scenario-file-names.ts';
import { isConfigurationFile, isRecordFile, isSidecar } from '../core/trace-file-names.ts';
import type { FileSystem } from '../input/file-system.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { sidecarNames } from '../input/sidecar.ts';
import { describeSystemError } from '../input/system-error.ts';
import { looksLikeTrace, SNIFF_BYTES, sniffFormat } from '../input/trace-sniff.ts';
import { walkInputs } from '../input/walk-inputs.ts';
import { checkWritable, identify, isOneOf, WouldReplaceInput, writeFile } from '../output/write-file.ts';
import type { ReportText } from '../reports/report-writer.ts';
import type { CommandHost, TextOutput } from './host.ts';
import { UsageError } from './usage-error.ts';

/** A file to write, and the option that names it, for messages. */
export interface OutputFile {
  /** Undefined: standard output. */
  readonly file: string | undefined;
  readonly option: string;
}

/** Checks before the work is done that its result can be written. @throws UsageError */
export async function checkOutputFile(
  { file, option }: OutputFile,
  host: CommandHost,
  extension = '.json',
): Promise<void> {
  if (file === undefined) return;
  const path = resolve(host.cwd, file);
  try {
    await checkWritable(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EISDIR') {
      throw new UsageError(
        `${option}: ${file} is a folder. Name a file in it, such as ${join(file, `report${extension}`)}.`,
      );
    }
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new UsageError(`${option}: there is no folder ${dirname(file)}. Create it first.`);
    throw new UsageError(`${option}: ${file} cannot be written: ${describeSystemError(error)}.`);
  }
}

/**
 * Checks before the work is done that no output replaces what the run reads. Where a file is only found in a folder, it is
 * read if it looks like a trace: the report of the last run may be replaced.
 *
 * @param paths files and folders of the run. @param others files that are read besides. @throws UsageError
 */
export async function checkNotInputs(
  outputs: readonly OutputFile[],
  { paths, others }: { readonly paths: readonly string[]; readonly others: readonly string[] },
  files: FileSystem,
  { cwd }: CommandHost,
  signal: AbortSignal,
): Promise<void> {
  const named = new Map<string, OutputFile>();
  for (const output of outputs) {
    if (output.file !== undefined) named.set(await identify(resolve(cwd, output.file)), output);
  }
  if (named.size === 0) return;
  const { files: found } = await walkInputs(paths, files, signal);
  const beside = found.flatMap(({ file }) => [...sidecarNames(file), join(dirname(file), 'test_config.json')]);
  const candidates = [
    ...[...others, ...paths, ...new Set(beside)].map((file) => ({ file, isExplicit: true })),
    ...found,
  ].filter(({ file }) => file !== '-');
  await mapConcurrent(candidates, 32, async ({ file, isExplicit }) => {
    const output = named.get(await identify(resolve(cwd, file)));
    if (output && (isExplicit || (await isRead(resolve(cwd, file), files)))) throw inputError(output);
  });
}

async function isRead(path: string, files: FileSystem): Promise<boolean> {
  if (isSidecar(path) || isConfigurationFile(path)) return true;
  const head = await files.readStart?.(path, SNIFF_BYTES).catch(() => null);
  return head ? looksLikeTrace(path, head) : false;
}

/**
 * Checks that an output replaces nothing that a run may have read. For commands that know the run by its record only, which does not
 * name every file.
 *
 * @param kind of report, which may replace one of its kind even if that can be read as a trace. @param inputs those that are known
 * @throws UsageError
 */
export async function checkNoLikelyInput(
  output: OutputFile,
  kind: string,
  inputs: readonly string[],
  { cwd }: CommandHost,
): Promise<void> {
  const { file, option } = output;
  if (file === undefined) return;
  const path = resolve(cwd, file);
  if ((await nodeFileSystem.stat(path))?.kind !== 'file') return;
  if (await isOneOf(path, inputs)) throw inputError(output);
  if (!(await isLikelyInput(path, kind))) return;
  throw new UsageError(
    `${option} would replace ${file}, which looks like a trace, a configuration or a record. Name another file, or delete this one.`,
  );
}

async function isLikelyInput(path: string, kind: string): Promise<boolean> {
  if (isScenarioFile(path) || isRecordFile(path) || /\.zip$/i.test(path)) return true;
  if (!(await isRead(path, nodeFileSystem))) return false;
  const head = await nodeFileSystem.readStart?.(path, SNIFF_BYTES);
  return !head || sniffFormat(path, head) !== kind;
}

/** The error that an output is an input. */
export function inputError({ file, option }: OutputFile): UsageError {
  return new UsageError(`${option} would replace ${file}, which is an input. Name another file.`);
}

/** Whether two outputs are the same file. */
export function isSameOutput(a: string, b: string, { cwd }: CommandHost): Promise<boolean> {
  return isOneOf(resolve(cwd, a), [resolve(cwd, b)]);
}

/**
 * Writes a text to the file, or else to standard output.
 *
 * @param inputs files that were read; `-` is standard input. @throws UsageError when the file cannot be written.
 */
export async function writeOutput(
  text: ReportText,
  output: OutputFile,
  inputs: readonly string[],
  host: CommandHost,
): Promise<void> {
  const { file, option } = output;
  if (file === undefined) return await writeAll(text, host.stdout);
  try {
    const read = inputs.filter((input) => input !== '-').map((input) => resolve(host.cwd, input));
    await writeFile(resolve(host.cwd, file), joinChunks(text), { inputs: read });
  } catch (error) {
    if (error instanceof WouldReplaceInput) throw inputError(output);
    throw new UsageError(`${option}: ${file} cannot be written: ${describeSystemError(error)}.`);
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
