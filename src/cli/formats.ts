import { resolve } from 'node:path';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { NO_TRACE } from '../core/problem.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { Format } from '../formats/format.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import { createTaskMapper, type TaskMapper } from '../formats/mapped/task-mapper.ts';
import { type FileSummary, load } from '../input/load.ts';
import { withPipe } from '../input/node-file-system.ts';
import { nativeChunks } from '../reports/native.ts';
import { padEnd, sanitizeLine, wrap } from '../reports/terminal-text.ts';
import { checkInputFormat } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { checkNotInputs, checkOutputFile, writeOutput, writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

export interface FormatsArguments {
  readonly config?: string;
  readonly convert?: true;
  readonly inputFormat?: string;
  readonly out?: string;
}

/** `turnwise formats`. @returns the exit code. @throws UsageError */
export async function formatsCommand(
  file: string | undefined,
  args: FormatsArguments,
  host: CommandHost,
): Promise<number> {
  if (args.convert && file === undefined) {
    throw new UsageError('--convert requires a file: turnwise formats FILE --convert.');
  }
  const loaded = await loadConfiguration({
    cwd: host.cwd,
    file: args.config,
    registry: REGISTRY,
    agentest: 'ignore',
    code: 'skip',
  });
  await printProblems(host, loaded.problems);
  // An invalid configuration does not prevent looking at a file.
  const formats = formatsWithMappings(loaded.configuration?.map);
  const tasks = loaded.configuration?.tasks;
  const mapTask = tasks && createTaskMapper(tasks, (path) => resolve(path));
  const code = await (file === undefined
    ? listFormats(formats, host)
    : describeFile(file, args, formats, { host, settings: loaded.file, mapTask }));
  return loaded.configuration || code === EXIT_CODES.interrupted ? code : EXIT_CODES.input;
}

async function listFormats(formats: readonly Format[], host: CommandHost): Promise<number> {
  await writeStdout(formatLines(formats, host.stdout.columns), host);
  return EXIT_CODES.passed;
}

function* formatLines(formats: readonly Format[], columns: number): Generator<string> {
  const names = Math.max(...formats.map(({ name }) => name.length));
  for (const { name, title, description } of formats) {
    const text = description.startsWith(title) ? description : `${title}: ${description}`;
    for (const [index, line] of wrap(sanitizeLine(text), Math.max(40, columns - names - 2)).entries()) {
      yield `${padEnd(index === 0 ? name : '', names)}  ${line}\n`;
    }
  }
}

interface ReadingContext {
  readonly host: CommandHost;
  /** The configuration file. */
  readonly settings: string | null;
  /** What the configuration says of tasks. */
  readonly mapTask: TaskMapper | undefined;
}

async function describeFile(
  file: string,
  args: FormatsArguments,
  formats: readonly Format[],
  { host, settings, mapTask }: ReadingContext,
): Promise<number> {
  checkInputFormat(args.inputFormat, formats);
  const out = { file: args.out, option: `--out ${args.out}` };
  await checkOutputFile(out, host);
  if (args.out !== undefined && !args.convert) throw new UsageError('--out requires --convert.');
  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  try {
    const others = settings === null ? [] : [settings];
    await checkNotInputs([out], { paths: [file], others }, withPipe(file), host, signal);
    const stdin = () => host.readStdin(signal);
    const loaded = await load([file], withPipe(file), { signal, stdin, format: args.inputFormat, mapTask }, formats);
    const { files, problems, sessions, sources, locator } = loaded;
    if (args.convert && sessions.length > 0) await writeOutput(nativeChunks(sessions), out, sources, host);
    const output = args.convert ? host.stderr : host.stdout;
    for (const summary of files) await output.write(summaryText(summary));
    // The summary of such a file says it already, and so does the hint.
    await printProblems(
      host,
      problems.filter(({ code }) => code !== NO_TRACE),
      { verbose: true, locator },
    );
    if (problems.some(({ code }) => code === NO_TRACE)) await output.write(MAP_HINT);
    const fits = files.some(({ format }) => format !== null);
    return fits && !(args.convert && sessions.length === 0) ? EXIT_CODES.passed : EXIT_CODES.input;
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    throw error;
  }
}

const MAP_HINT =
  'To read your own format, map its fields with "map" in the configuration: see "Anything else" in docs/formats.md.\n';

function summaryText({ file, format, reason, sessions, turns, calls }: FileSummary): string {
  const name = file === '-' ? 'standard input' : sanitizeLine(file);
  if (format === null) return `${name}: unknown format; ${sanitizeLine(reason)}\n`;
  const counts = [pluralize(sessions, 'session'), pluralize(turns, 'turn'), pluralize(calls, 'tool call')].join(', ');
  return `${name}: ${format} (${sanitizeLine(reason)})\n  ${counts}\n`;
}
