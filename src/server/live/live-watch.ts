import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Connection } from 'vscode-languageserver/node';
import { assertNever } from '../../core/assert-never.ts';
import { createMutex } from '../../core/async/mutex.ts';
import { Throttle } from '../../core/async/throttle.ts';
import { errorMessage } from '../../core/error-message.ts';
import { isAtLeast } from '../../core/severity.ts';
import { ChangedFileQueue } from '../../input/changed-file-queue.ts';
import { nodeFileSystem } from '../../input/node-file-system.ts';
import { type LiveStatus, liveChanged, liveProblem } from '../../protocol/live.ts';
import type { ClientSettings } from '../../protocol/settings.ts';
import { isLiveFile } from '../../receiver/live-file.ts';
import { createProjectLiveFolder, projectLiveFolder } from '../../receiver/project-folder.ts';
import type { ReceiverNews, ReceiverOptions } from '../../receiver/receiver.ts';
import type { ReceiverThread } from '../../receiver/receiver-thread.ts';
import { inSentence } from '../../report-model/problem-titles.ts';
import type { Evaluator } from '../evaluation/evaluator.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import { DelayedProgress } from '../sync/delayed-progress.ts';
import { type LiveFigures, liveTexts } from './live-texts.ts';
import { NotifiedSessions } from './notified-sessions.ts';

interface LiveWatchOptions {
  readonly connection: Connection;
  readonly results: EvaluationResults;
  readonly evaluator: Evaluator;
  readonly settings: () => ClientSettings;
  /** Refreshes these files soon. */
  readonly refreshSoon: (paths: Iterable<string>) => void;
  /** Compares the results of a file with the file. */
  readonly check: (path: string) => Promise<void>;
  /** The stored results of these files have changed. */
  readonly save: (paths: readonly string[]) => void;
  /** Shows a sentence to the user once. */
  readonly notify: (sentence: string) => void;
}

const MB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;

/** A session without news for so long is complete. */
const QUIET_MS = 30_000;

/** How long exports of one turn are gathered before its session is evaluated. */
const GATHER_MS = 25;

/** Receives the traces of a project's agents, and evaluates sessions by rules as their turns finish. Off until it is asked for. */
export class LiveWatch {
  readonly #parts: LiveWatchOptions;
  readonly #inTurn = createMutex();
  #run: LiveRun | null = null;

  constructor(parts: LiveWatchOptions) {
    this.#parts = parts;
  }

  /** Whether a file is written by the receiver: its results are those of its finished turns. */
  isReceiving(path: string): boolean {
    return this.#run?.isReceiving(path) ?? false;
  }

  /** Starts, unless this project is watched already. @throws an error with a message for the user */
  start(project: string): Promise<LiveStatus> {
    return this.#inTurn(async () => {
      if (!this.#parts.settings().trusted) {
        throw new Error(l10n.t('This folder is not trusted, so no traces are received. Trust it to watch your agent.'));
      }
      if (this.#run?.project !== project) await this.#stop();
      this.#run ??= new LiveRun(project, this.#parts);
      const run = this.#run;
      run.ended.finally(() => this.#forget(run)).catch(() => {});
      return run.begin();
    });
  }

  /** Nothing is written after this resolves. */
  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  async #stop(): Promise<void> {
    await this.#run?.stop();
    this.#run = null;
  }

  #forget(run: LiveRun): void {
    if (this.#run === run) this.#run = null;
  }
}

/** One receiver, until it is stopped. */
class LiveRun {
  readonly project: string;
  readonly #folder: string;
  readonly #parts: LiveWatchOptions;
  readonly #changed: ChangedFileQueue;
  readonly #begun = Promise.withResolvers<LiveStatus>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #sessions = new Set<string>();
  readonly #news = new Throttle(() => this.#send(this.#status()));
  #thread: ReceiverThread | null = null;
  /** Read when this process begins to receive: until then, another one adds to it. */
  #notified: Promise<NotifiedSessions> | null = null;
  #phase: 'new' | 'starting' | 'running' | 'ended' = 'new';
  #figures: LiveFigures;

  constructor(project: string, parts: LiveWatchOptions) {
    const { livePort: wantedPort, liveMaxSize: maxMb, liveKeepDays: keepDays } = parts.settings();
    this.project = project;
    this.#folder = projectLiveFolder(project);
    this.#parts = parts;
    this.#figures = { state: 'waiting', port: null, wantedPort, sessions: 0, bytes: 0, maxMb, keepDays };
    this.#changed = new ChangedFileQueue({
      files: nodeFileSystem,
      delayMs: GATHER_MS,
      isAlwaysComplete: true,
      onComplete: (paths) => this.#evaluate(paths),
    });
    // Those that wait for one of them hear of a failure; there may be none.
    this.#begun.promise.catch(() => {});
    this.#ended.promise.catch(() => {});
  }

  /** Resolves when it was stopped, and rejects when it can no longer receive. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  isReceiving(path: string): boolean {
    return this.#figures.state === 'receiving' && dirname(path) === this.#folder && isLiveFile(basename(path));
  }

  /** Starts it once. Resolves when it receives or waits. */
  async begin(): Promise<LiveStatus> {
    if (this.#phase !== 'new') return this.#status();
    this.#phase = 'starting';
    try {
      if (!(await createProjectLiveFolder(this.project))) {
        throw new Error(l10n.t('.turnwise/live is a link out of this folder. Replace it with a folder.'));
      }
      // The receiver is loaded when somebody asks for it.
      const { startOwnReceiver } = await import('../../receiver/start-receiver.ts');
      this.#thread = startOwnReceiver(this.#options(), (news) => this.#onNews(news));
      void this.#thread.ended.then(
        () => this.#end(),
        (error: unknown) => this.#end(error),
      );
      const status = await this.#begun.promise;
      this.#phase = 'running';
      return status;
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  #options(): ReceiverOptions {
    const { wantedPort: port, maxMb, keepDays } = this.#figures;
    return { folder: this.#folder, port, maxBytes: maxMb * MB, keepMs: keepDays * DAY_MS, quietMs: QUIET_MS };
  }

  async stop(): Promise<void> {
    await this.#thread?.stop();
  }

  #onNews(news: ReceiverNews): void {
    switch (news.kind) {
      case 'receiving':
        this.#notified = NotifiedSessions.open(this.#folder);
        // Who waits for it hears of a failure.
        this.#notified.catch(() => {});
        this.#update({ state: 'receiving', port: news.port, bytes: news.bytes });
        this.#begun.resolve(this.#status());
        break;
      case 'waiting':
        this.#update({ state: 'waiting', port: portOf(news.endpoint) });
        this.#begun.resolve(this.#status());
        break;
      case 'changes':
        this.#onChanges(news);
        break;
      case 'deleted':
        this.#remove(news.files);
        this.#countSessions(news.bytes);
        break;
      case 'problem':
        this.#parts.connection.console.warn(news.message);
        this.#parts.notify(news.message);
        break;
      default:
        assertNever(news);
    }
  }

  #onChanges({ turns, complete, gone, totals }: Extract<ReceiverNews, { kind: 'changes' }>): void {
    for (const file of [...turns, ...complete]) this.#sessions.add(file);
    this.#remove(gone);
    this.#changed.add([...turns, ...complete].map((file) => join(this.#folder, file)));
    this.#countSessions(totals.bytes);
  }

  #countSessions(bytes: number): void {
    this.#figures = { ...this.#figures, sessions: this.#sessions.size, bytes };
    this.#news.schedule();
  }

  /** Files that were deleted, or whose sessions turned out to be parts of others. */
  #remove(files: readonly string[]): void {
    const { results, refreshSoon, save } = this.#parts;
    for (const file of files) this.#sessions.delete(file);
    const known = files.map((file) => join(this.#folder, file)).filter((path) => results.file(path));
    if (known.length === 0) return;
    refreshSoon(results.replace(known, { sessions: [], problems: [] }));
    save(known);
  }

  async #evaluate(changed: readonly string[]): Promise<void> {
    const { connection, evaluator } = this.#parts;
    const progress = new DelayedProgress(connection);
    const isGone = (path: string) => !this.#sessions.has(basename(path));
    const paths = changed.filter((path) => !isGone(path));
    if (paths.length === 0) return;
    const uris = paths.map((path) => pathToFileURL(path).href);
    try {
      await evaluator.evaluate(uris, progress, progress.token, { rulesOnly: true });
      // Files can be deleted while they are evaluated.
      this.#remove(paths.filter(isGone).map((path) => basename(path)));
      for (const path of paths) await this.#tellProblem(path);
    } catch (error) {
      connection.console.error(errorMessage(error));
    }
  }

  /** Once per session. @throws the system's error */
  async #tellProblem(path: string): Promise<void> {
    const { results, settings, connection } = this.#parts;
    const [file, notified] = [basename(path), await this.#notified];
    if (!settings().liveNotify || !notified || notified.has(file)) return;
    for (const { row, failures } of results.sessionsIn(path)) {
      const problem = failures.find(({ severity }) => isAtLeast(severity, 'high'));
      if (!problem) continue;
      const { turn } = problem;
      const title = inSentence(problem.title);
      const text =
        turn === null
          ? l10n.t('Your agent: {0} ({1})', title, row.title)
          : l10n.t('Your agent: {0} in turn {1} ({2})', title, turn + 1, row.title);
      connection.sendNotification(liveProblem.method, { session: row.key, turn, text }).catch(() => {});
      await notified.add(file);
      return;
    }
  }

  #status(): LiveStatus {
    const { state, port, sessions } = this.#figures;
    const [project, folder] = [pathToFileURL(this.project).href, pathToFileURL(this.#folder).href];
    return { state, project, folder, port, sessions, ...liveTexts(this.#figures) };
  }

  #update(figures: Partial<LiveFigures>): void {
    this.#figures = { ...this.#figures, ...figures };
    this.#news.runNow();
  }

  #send(status: LiveStatus | null): void {
    // A closed connection cannot be notified.
    this.#parts.connection.sendNotification(liveChanged.method, { status }).catch(() => {});
  }

  /** @param error why it ended; undefined: it was stopped. */
  #end(error?: unknown): void {
    if (this.#phase === 'ended') return;
    const wasRunning = this.#phase === 'running';
    this.#phase = 'ended';
    const sessions = [...this.#sessions].map((file) => join(this.#folder, file));
    this.#figures = { ...this.#figures, state: 'waiting', port: null };
    this.#changed[Symbol.dispose]();
    this.#news[Symbol.dispose]();
    this.#send(null);
    // Turns that are not finished are in no results.
    for (const path of sessions) void this.#parts.check(path);
    if (error === undefined) {
      this.#begun.reject(new Error(l10n.t('Watching was stopped.')));
      this.#ended.resolve();
      return;
    }
    const reason = l10n.t('No traces are received any more: {0}', errorMessage(error));
    this.#parts.connection.console.error(reason);
    // Who waits for the start hears of it.
    if (wasRunning) this.#parts.notify(reason);
    this.#begun.reject(error);
    this.#ended.reject(error);
  }
}

function portOf(endpoint: string | null): number | null {
  const [, port] = /:(\d+)$/.exec(endpoint ?? '') ?? [];
  return port === undefined ? null : Number(port);
}
