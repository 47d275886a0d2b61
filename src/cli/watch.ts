import { dirname, relative, resolve } from 'node:path';
import { isDynamicPattern } from 'tinyglobby';
import { configuredTraces, findConfiguredTraces } from '../app/configured-traces.ts';
import { evaluateFileStream } from '../app/evaluate-files.ts';
import { unmatchedGates } from '../app/unmatched-gates.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { withoutModels } from '../config/without-models.ts';
import { errorMessage } from '../core/error-message.ts';
import { sessionFiles } from '../core/session-files.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import { ChangedFileQueue } from '../input/changed-file-queue.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { isFoundInFolder } from '../input/walk-inputs.ts';
import { summarizeHeadlines } from '../report-model/headline-counts.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { checkInputFormat } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { printProblems } from './print-problems.ts';
import { NO_PROGRESS, showProgress } from './progress.ts';
import { watchTraces } from './trace-watcher.ts';
import { UsageError } from './usage-error.ts';
import { changeLines } from './watch-text.ts';
import { type SessionChange, WatchedSessions } from './watched-sessions.ts';

export interface WatchArguments {
  readonly config?: string;
  readonly inputFormat?: string;
  readonly quiet?: true;
  readonly verbose?: true;
}

/** `turnwise watch`. @returns the exit code, when Ctrl-C ends it. @throws UsageError */
export async function watchCommand(
  patterns: readonly string[],
  args: WatchArguments,
  host: CommandHost,
): Promise<number> {
  if (patterns.includes('-')) throw new UsageError('Standard input cannot be watched. Name files, folders or globs.');
  using interrupt = listenForInterrupt(host, 'stopped watching.');
  const { signal } = interrupt;
  const loaded = await loadConfiguration({ cwd: host.cwd, file: args.config, registry: REGISTRY });
  await printProblems(host, loaded.problems, args);
  if (!loaded.configuration) return EXIT_CODES.input;
  checkInputFormat(args.inputFormat, formatsWithMappings(loaded.configuration.map));
  const inputs = await watchedInputs(patterns, loaded, host);
  const stop = new AbortController();
  const run = new WatchRun(inputs, args, host, AbortSignal.any([signal, stop.signal, host.stdout.closed]));
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure ??= error;
    stop.abort();
  };
  try {
    await run.watch(fail);
  } catch (error) {
    if (!signal.aborted && !host.stdout.closed.aborted) fail(error);
  }
  if (failure === null) return EXIT_CODES.passed;
  await host.stderr.write(`turnwise: watching failed: ${sanitizeLine(errorMessage(failure))}\n`);
  return EXIT_CODES.input;
}

interface WatchedInputs {
  readonly inputs: readonly string[];
  readonly folders: ReadonlySet<string>;
  /** The files and folders that the inputs match now. */
  readonly expand: () => Promise<readonly string[]>;
}

/** @throws UsageError */
async function watchedInputs(
  patterns: readonly string[],
  loaded: LoadedConfiguration,
  { cwd }: CommandHost,
): Promise<WatchedInputs> {
  const files = nodeFileSystem;
  const traces = configuredTraces(loaded);
  if (patterns.length === 0 && !traces) {
    throw new UsageError(
      'Name the files or folders to watch. Without any, the globs of "traces" in the configuration are watched.',
    );
  }
  const inputs = patterns.length > 0 || !traces ? patterns : traces.globs.map((glob) => within(traces.folder, glob));
  const stats = await Promise.all(inputs.map((input) => files.stat(resolve(cwd, input))));
  const folders = inputs.filter((_, index) => stats[index]?.kind === 'directory');
  const missing = patterns.find((pattern, index) => stats[index] === null && !isDynamicPattern(pattern));
  if (missing !== undefined) {
    throw new UsageError(`No such file or folder: "${missing}". Check the path and the working folder.`);
  }
  const expand = async () => {
    const { paths } =
      patterns.length > 0 || !traces
        ? await expandGlobs(patterns, files, cwd)
        : await findConfiguredTraces(traces, { cwd, files });
    return paths;
  };
  return { inputs, folders: new Set(folders), expand };
}

function within(folder: string, glob: string): string {
  return folder === '' ? glob : `${folder}/${glob}`;
}

/** Evaluates what there is, then what changes, one burst of changes after the other. */
class WatchRun {
  readonly #inputs: WatchedInputs;
  readonly #args: WatchArguments;
  readonly #host: CommandHost;
  readonly #signal: AbortSignal;
  readonly #sessions: WatchedSessions;

  constructor(inputs: WatchedInputs, args: WatchArguments, host: CommandHost, signal: AbortSignal) {
    this.#inputs = inputs;
    this.#args = args;
    this.#host = host;
    this.#signal = signal;
    this.#sessions = new WatchedSessions(host.cwd);
  }

  /** Resolves when the signal is aborted. */
  async watch(onError: (error: unknown) => void): Promise<void> {
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    this.#signal.addEventListener('abort', () => stop(), { once: true });
    const early: string[] = [];
    let running = Promise.resolve();
    using changed = new ChangedFileQueue({
      files: nodeFileSystem,
      onComplete: (paths) => {
        running = this.#evaluateChanges(paths).catch(onError);
        return running;
      },
    });
    let add = (path: string): void => void early.push(path);
    await using _watcher = await watchTraces({
      ...this.#inputs,
      cwd: this.#host.cwd,
      onChange: (path) => add(path),
      onRemove: (path) => this.#remove(path),
      onError,
    });
    await this.#evaluateAll();
    add = (path) => changed.add([path]);
    changed.add(early);
    if (!this.#signal.aborted) await stopped;
    await running;
  }

  async #evaluateAll(): Promise<void> {
    const paths = await this.#inputs.expand();
    await this.#evaluate(paths, { isAll: true });
    if (this.#signal.aborted) return;
    const { headlines } = this.#sessions;
    const found = headlines.length === 0 ? 'no sessions yet' : summarizeHeadlines(headlines);
    await this.#host.stdout.write(`Watching ${found}. Press Ctrl+C to stop.\n`);
  }

  async #evaluateChanges(changed: readonly string[]): Promise<void> {
    const { cwd, stdout } = this.#host;
    const inputs = (await this.#inputs.expand()).map((path) => resolve(cwd, path));
    const isInput = (path: string) =>
      inputs.some((input) => path === input || (isInside(path, input) && isFoundInFolder(relative(input, path))));
    const paths = this.#sessions.filesToEvaluate(changed, isInput);
    const stats = await Promise.all(paths.map((path) => nodeFileSystem.stat(path).catch(() => null)));
    const named = new Set(inputs);
    const outside = await Promise.all(
      paths.map((path) => !named.has(path) && nodeFileSystem.leadsOutside(path, dirname(path))),
    );
    const existing = paths.filter((_, index) => stats[index]?.kind === 'file' && !outside[index]);
    if (existing.length === 0) return;
    const changes = await this.#evaluate(existing.map((path) => displayPath(path, cwd)));
    if (changes.length === 0) return;
    const text = changeLines(changes, this.#sessions.headlines, { ...this.#args, stdout, env: this.#host.env });
    await stdout.write(`${text.join('\n')}\n`);
  }

  /** Also when it is stopped, the finished results count. */
  async #evaluate(paths: readonly string[], { isAll = false } = {}): Promise<readonly SessionChange[]> {
    const { cwd, env, stderr, now } = this.#host;
    const { config, inputFormat, quiet } = this.#args;
    // A configuration that has changed counts from now on.
    const { configuration, file, problems } = await loadConfiguration({ cwd, file: config, registry: REGISTRY });
    if (!configuration) {
      await printProblems(this.#host, problems, this.#args);
      return [];
    }
    if (paths.length === 0) return [];
    const filesOf = new Map<string, ReadonlySet<string>>();
    const progress = quiet ? NO_PROGRESS : showProgress(stderr, now);
    const { report, files, locator } = await evaluateFileStream(paths, withoutModels(configuration), {
      ...progress,
      env,
      inputFormat,
      signal: this.#signal,
      onSession: (session) => filesOf.set(session.id, sessionFiles(session)),
    });
    await progress.end();
    const broken = new Set(report.problems.flatMap(({ severity, file }) => (severity === 'error' ? [file] : [])));
    const readFiles = files.flatMap(({ file }) => (broken.has(file) ? [] : [file]));
    const found = report.problems.filter(({ code }) => code !== 'no-sessions');
    const isWhole = isAll && report.run.complete;
    const unmatched = isWhole ? await unmatchedGates(report.sessions, configuration, { file, cwd }) : [];
    await printProblems(this.#host, [...unmatched, ...found], { ...this.#args, locator });
    return this.#sessions.record({ sessions: report.sessions, filesOf, readFiles });
  }

  #remove(path: string): void {
    const count = this.#sessions.remove(path);
    if (count === 0) return;
    const left = this.#sessions.headlines;
    const file = sanitizeLine(displayPath(path, this.#host.cwd));
    const now = left.length === 0 ? 'No sessions left.' : `Now ${summarizeHeadlines(left)}.`;
    void this.#host.stdout.write(`${file} is gone. ${now}\n`);
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && resolve(folder, way) === path;
}

/** As a user would type it. */
function displayPath(path: string, cwd: string): string {
  return isInside(path, cwd) ? relative(cwd, path) : path;
}
