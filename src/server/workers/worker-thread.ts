import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  PortMessageReader,
  PortMessageWriter,
} from 'vscode-languageserver/node';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { SessionDetail } from '../results/session-results-view.ts';
import {
  HOST_CALL,
  type HostCall,
  MAX_VIEWS,
  PROCESS_NEWS,
  type ProcessNews,
  type WorkerData,
  type WorkerMethod,
  type WorkerRequests,
} from './messages.ts';

/** How often the heartbeat is checked. Counted in checks and not by the clock: a laptop may have slept in between. */
const CHECK_MS = 50;

/** A worker that is silent for this long is busy: others do not wait for it. */
const BUSY_MS = 300;

/** How long a worker may be silent after its work was cancelled: long enough to conclude what it has finished. */
const CANCEL_LIMIT_MS = 5000;

/** How long a worker may take to start. */
const START_LIMIT_MS = 60_000;

/** Work that a worker could not finish: it was terminated, or has ended by itself. */
export class WorkerLostError extends Error {
  /** What happened, as the clause of a sentence. */
  readonly clause: string;

  constructor(clause: string) {
    super(`A worker was lost: ${clause}.`);
    this.clause = clause;
  }
}

export interface WorkOptions {
  /** How long the worker may be silent. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  /** What the worker calls while it works, by name. */
  readonly host?: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** The worker has been silent for a moment, though it may yet finish. */
  readonly onBusy?: () => void;
}

/** Small, since each thread has one. By default V8 lets it grow to several times this, for no measurable speed. */
const YOUNG_GENERATION_MB = 24;

/**
 * A thread that does one piece of work at a time. A timer in it counts heartbeats in shared memory: a thread that waits
 * for a model keeps counting, and one in an endless loop does not and is terminated.
 */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #connection: MessageConnection;
  readonly #beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #lost = Promise.withResolvers<never>();
  #host: NonNullable<WorkOptions['host']> = {};
  /** The sessions that it knows, by key: the results that it was sent last. */
  readonly views = new LruCache<string, SessionDetail>(MAX_VIEWS);
  /** The processes that it has started. */
  readonly #processes = new Set<number>();
  #isLost = false;

  /** @param entry the module that serves this thread. @param memoryMb of JavaScript values at most. */
  constructor(entry: URL, memoryMb: number) {
    const workerData: WorkerData = { turnwise: 'worker', beats: this.#beats.buffer as SharedArrayBuffer };
    this.#worker = new Worker(entry, {
      workerData,
      name: 'turnwise',
      // Standard output may belong to the protocol.
      stdout: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.stdout.pipe(process.stderr, { end: false });
    this.#worker.on('error', (error) => this.#lose(describeLoss(error)));
    this.#worker.on('exit', () => this.#lose(l10n.t('it ended unexpectedly')));
    this.#lost.promise.catch(() => {});
    this.#connection = createMessageConnection(
      new PortMessageReader(this.#worker),
      new PortMessageWriter(this.#worker),
    );
    const call = ({ name, args }: HostCall) => this.#host[name]?.(...(args as never[]));
    this.#connection.onRequest(HOST_CALL, call);
    this.#connection.onNotification(HOST_CALL, (notified: HostCall) => void call(notified));
    this.#connection.onNotification(PROCESS_NEWS, ({ started, ended }: ProcessNews) => {
      if (started !== undefined) this.#processes.add(started);
      if (ended !== undefined) this.#processes.delete(ended);
    });
    this.#connection.listen();
    process.once('exit', this.#killProcesses);
  }

  /** Whether it can work. */
  get isAlive(): boolean {
    return !this.#isLost;
  }

  /** @throws WorkerLostError, or the error of the work. */
  async run<Method extends WorkerMethod>(
    method: Method,
    params: WorkerRequests[Method]['params'],
    { limitMs, signal, host = {}, onBusy }: WorkOptions,
  ): Promise<WorkerRequests[Method]['result']> {
    const cancellation = new CancellationTokenSource();
    const cancel = () => cancellation.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    this.#host = host;
    const watch = this.#watch(limitMs, cancellation, onBusy);
    try {
      const answer = this.#connection.sendRequest(method, params, cancellation.token);
      answer.catch(() => {});
      return (await Promise.race([answer, this.#lost.promise])) as WorkerRequests[Method]['result'];
    } finally {
      clearInterval(watch);
      signal?.removeEventListener('abort', cancel);
      cancellation.dispose();
      this.#host = {};
    }
  }

  #watch(limitMs: number, { token }: CancellationTokenSource, onBusy: (() => void) | undefined): NodeJS.Timeout {
    let last = Atomics.load(this.#beats, 0);
    let silentMs = 0;
    let isBusy = false;
    return setInterval(() => {
      const now = Atomics.load(this.#beats, 0);
      silentMs = now === last ? silentMs + CHECK_MS : 0;
      last = now;
      if (silentMs >= BUSY_MS && !isBusy && now > 0) {
        isBusy = true;
        onBusy?.();
      }
      const limit = token.isCancellationRequested ? Math.min(limitMs, CANCEL_LIMIT_MS) : limitMs;
      if (silentMs < (now === 0 ? START_LIMIT_MS : limit)) return;
      this.#lose(l10n.t('it took more than {0} s without progress', limit / 1000));
    }, CHECK_MS);
  }

  #lose(clause: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lost.reject(new WorkerLostError(clause));
    this.#connection.dispose();
    process.off('exit', this.#killProcesses);
    this.#killProcesses();
    void this.#worker.terminate();
  }

  readonly #killProcesses = (): void => {
    for (const id of this.#processes) {
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    this.#processes.clear();
  };

  /** Ends it, whatever it does. */
  [Symbol.dispose](): void {
    this.#lose(l10n.t('it was stopped'));
  }
}

function describeLoss(error: unknown): string {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isMemory) return l10n.t('it needs more memory than there is');
  return l10n.t('Turnwise failed on it ({0})', errorMessage(error));
}
