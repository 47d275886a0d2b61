import { join, relative, resolve } from 'node:path';
import { assertNever } from '../core/assert-never.ts';
import { errorMessage } from '../core/error-message.ts';
import type { SessionReport } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { ChangedFileQueue } from '../input/changed-file-queue.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { createFolder } from '../output/write-file.ts';
import { endpointLine } from '../receiver/endpoint.ts';
import { createProjectLiveFolder, projectLiveFolder } from '../receiver/project-folder.ts';
import type { ReceiverNews } from '../receiver/receiver.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { displayPath, RuleEvaluator } from './rule-evaluator.ts';
import { UsageError } from './usage-error.ts';

export interface CollectArguments {
  readonly port: number;
  readonly out?: string;
  /** Megabytes of all files. */
  readonly maxSize: number;
  /** Days. */
  readonly keep: number;
  /** Seconds. */
  readonly idle: number;
  readonly config?: string;
  readonly quiet?: true;
  readonly verbose?: true;
}

const MB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;

/** How long exports of one turn are gathered before its session is evaluated. */
const GATHER_MS = 25;

/** `turnwise collect`. @returns the exit code, when Ctrl-C ends it. @throws UsageError */
export async function collectCommand(args: CollectArguments, host: CommandHost): Promise<number> {
  using interrupt = listenForInterrupt(host, 'stopped receiving. Nothing is written any more.');
  const folder = await openFolder(args, host);
  const run = new CollectRun(folder, args, host, interrupt.signal);
  // In a module of its own: its thread loads nothing of the evaluation.
  const { startOwnReceiver } = await import('../receiver/start-receiver.ts');
  const { ended, stop } = startOwnReceiver(
    {
      folder,
      port: args.port,
      maxBytes: args.maxSize * MB,
      keepMs: args.keep * DAY_MS,
      quietMs: args.idle * 1000,
    },
    (news) => run.onNews(news),
  );
  interrupt.signal.addEventListener('abort', () => void stop(), { once: true });
  host.stdout.closed.addEventListener('abort', () => void stop(), { once: true });
  try {
    await ended;
  } catch (error) {
    await host.stderr.write(`turnwise: receiving failed: ${sanitizeLine(errorMessage(error))}\n`);
    return EXIT_CODES.input;
  } finally {
    await run[Symbol.asyncDispose]();
  }
  return EXIT_CODES.passed;
}

/** @throws UsageError */
async function openFolder({ out }: CollectArguments, { cwd }: CommandHost): Promise<string> {
  const folder = out === undefined ? projectLiveFolder(cwd) : resolve(cwd, out);
  try {
    if (out !== undefined) await createFolder(folder);
    else if (!(await createProjectLiveFolder(cwd))) {
      throw new UsageError('.turnwise/live is a link out of this folder. Name a folder with --out.');
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`"${out ?? folder}" cannot be used as a folder: ${errorMessage(error)}`);
  }
  return folder;
}

/** Shows what is received, and evaluates it by rules as turns are finished. */
class CollectRun implements AsyncDisposable {
  readonly #folder: string;
  readonly #args: CollectArguments;
  readonly #host: CommandHost;
  readonly #evaluator: RuleEvaluator;
  readonly #changed: ChangedFileQueue;
  /** Files of sessions that are complete. */
  readonly #complete = new Set<string>();
  /** Files that were deleted, or whose traces moved to another one. */
  readonly #gone = new Set<string>();
  readonly #problems = new Set<string>();
  #running = Promise.resolve();

  constructor(folder: string, args: CollectArguments, host: CommandHost, signal: AbortSignal) {
    this.#folder = folder;
    this.#args = args;
    this.#host = host;
    // Its progress would be a line for each turn.
    this.#evaluator = new RuleEvaluator({ ...args, inputFormat: 'otlp', quiet: true }, host, signal);
    this.#changed = new ChangedFileQueue({
      files: nodeFileSystem,
      delayMs: GATHER_MS,
      isAlwaysComplete: true,
      onComplete: (paths) => {
        this.#running = this.#evaluate(paths);
        return this.#running;
      },
    });
  }

  onNews(news: ReceiverNews): void {
    switch (news.kind) {
      case 'receiving':
        this.#write(this.#greeting(news));
        break;
      case 'waiting':
        this.#write(
          `Another process receives traces into ${this.#shownFolder}${news.endpoint === null ? '' : ` (${news.endpoint})`}. This one takes over when that ends.\n`,
        );
        break;
      case 'changes':
        this.#onChanges(news);
        break;
      case 'deleted':
        this.#onDeleted(news);
        break;
      case 'problem':
        if (!this.#problems.has(news.message)) this.#warn(news.message);
        this.#problems.add(news.message);
        break;
      default:
        assertNever(news);
    }
  }

  #greeting({ port, bytes }: Extract<ReceiverNews, { kind: 'receiving' }>): string {
    const { port: wanted, maxSize, keep } = this.#args;
    return [
      ...(port === wanted || wanted === 0 ? [] : [`Port ${wanted} is taken; receiving on ${port}.`]),
      'Receiving traces. In the shell of your agent:',
      '',
      `  export ${endpointLine(port)}`,
      '',
      `Sessions are written to ${this.#shownFolder}: ${Math.ceil(bytes / MB)} of ${maxSize} MB, kept for ${pluralize(keep, 'day')}. Press Ctrl+C to stop.`,
      '',
      '',
    ].join('\n');
  }

  #onChanges({ turns, complete, gone }: Extract<ReceiverNews, { kind: 'changes' }>): void {
    for (const file of complete) this.#complete.add(this.#path(file));
    this.#remove(gone);
    for (const file of turns) {
      this.#complete.delete(this.#path(file));
      this.#gone.delete(this.#path(file));
    }
    this.#changed.add([...turns, ...complete].map((file) => this.#path(file)));
  }

  #onDeleted({ files, reason }: Extract<ReceiverNews, { kind: 'deleted' }>): void {
    const { maxSize, keep } = this.#args;
    const oldest = files.length === 1 ? 'the oldest session' : `the ${files.length} oldest sessions`;
    const sentence =
      reason === 'size'
        ? `Deleted ${oldest} to stay within ${maxSize} MB (--max-size).`
        : `Deleted ${pluralize(files.length, 'session')} that had not changed for ${pluralize(keep, 'day')} (--keep).`;
    const isCounted = this.#remove(files);
    this.#write(`${sentence}${isCounted ? ` ${this.#evaluator.sessionsLeft}` : ''}\n\n`);
  }

  /** @returns whether sessions of these files were counted */
  #remove(files: readonly string[]): boolean {
    const paths = files.map((file) => this.#path(file));
    for (const path of paths) this.#gone.add(path);
    return paths.filter((path) => this.#evaluator.sessions.remove(path) > 0).length > 0;
  }

  async #evaluate(changed: readonly string[]): Promise<void> {
    const { cwd } = this.#host;
    const paths = changed.filter((path) => !this.#gone.has(path));
    const stateOf = ({ source }: SessionReport) => [
      this.#complete.has(resolve(cwd, source.file)) ? 'complete' : 'in progress',
    ];
    try {
      const changes = await this.#evaluator.evaluate(paths.map((path) => displayPath(path, cwd)));
      // Files can be deleted while they are evaluated.
      const gone = new Set(paths.filter((path) => this.#gone.has(path)));
      for (const path of gone) this.#evaluator.sessions.remove(path);
      const left = changes.filter(({ report }) => !gone.has(resolve(cwd, report.source.file)));
      await this.#evaluator.print(left, stateOf);
    } catch (error) {
      this.#warn(`The sessions could not be evaluated: ${errorMessage(error)}`);
    }
  }

  get #shownFolder(): string {
    return sanitizeLine(relative(this.#host.cwd, this.#folder) || '.');
  }

  #path(file: string): string {
    return join(this.#folder, file);
  }

  #write(text: string): void {
    void this.#host.stdout.write(text);
  }

  #warn(message: string): void {
    void this.#host.stderr.write(`turnwise: ${sanitizeLine(message)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#changed[Symbol.dispose]();
    await this.#running;
  }
}
