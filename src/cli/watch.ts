import { dirname, relative, resolve } from 'node:path';
import { isDynamicPattern } from 'tinyglobby';
import { configuredTraces, findConfiguredTraces } from '../app/configured-traces.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { errorMessage } from '../core/error-message.ts';
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
import { displayPath, isInside, RuleEvaluator } from './rule-evaluator.ts';
import { watchTraces } from './trace-watcher.ts';
import { UsageError } from './usage-error.ts';

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
  readonly #host: CommandHost;
  readonly #signal: AbortSignal;
  readonly #evaluator: RuleEvaluator;

  constructor(inputs: WatchedInputs, args: WatchArguments, host: CommandHost, signal: AbortSignal) {
    this.#inputs = inputs;
    this.#host = host;
    this.#signal = signal;
    this.#evaluator = new RuleEvaluator(args, host, signal);
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
      onRemove: (path) => this.#evaluator.remove(path),
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
    await this.#evaluator.evaluate(paths, { isAll: true });
    if (this.#signal.aborted) return;
    const { headlines } = this.#evaluator.sessions;
    const found = headlines.length === 0 ? 'no sessions yet' : summarizeHeadlines(headlines);
    await this.#host.stdout.write(`Watching ${found}. Press Ctrl+C to stop.\n`);
  }

  async #evaluateChanges(changed: readonly string[]): Promise<void> {
    const { cwd } = this.#host;
    const inputs = (await this.#inputs.expand()).map((path) => resolve(cwd, path));
    const isInput = (path: string) =>
      inputs.some((input) => path === input || (isInside(path, input) && isFoundInFolder(relative(input, path))));
    const paths = this.#evaluator.sessions.filesToEvaluate(changed, isInput);
    const stats = await Promise.all(paths.map((path) => nodeFileSystem.stat(path).catch(() => null)));
    const named = new Set(inputs);
    const outside = await Promise.all(
      paths.map((path) => !named.has(path) && nodeFileSystem.leadsOutside(path, dirname(path))),
    );
    const existing = paths.filter((_, index) => stats[index]?.kind === 'file' && !outside[index]);
    if (existing.length === 0) return;
    await this.#evaluator.print(await this.#evaluator.evaluate(existing.map((path) => displayPath(path, cwd))));
  }
}
