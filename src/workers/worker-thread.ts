import { Worker } from 'node:worker_threads';
import { errorMessage } from '../core/error-message.ts';
import { PortConnection, type RequestTable } from './port-connection.ts';
import { type WorkerLoss, WorkerLostError } from './worker-loss.ts';
import { HOST_CALL, type HostCall, PROCESS_NEWS, type ProcessNews, type WorkerData } from './worker-messages.ts';

/** How often the heartbeat is checked. Counted in checks and not by the clock: a laptop may have slept in between. */
const CHECK_MS = 50;

/** A worker that is silent for this long is busy: others do not wait for it. */
const BUSY_MS = 300;

/** How long a worker may be silent after its work was cancelled: long enough to conclude what it has finished. */
const CANCEL_LIMIT_MS = 5000;

/** How long a worker may take to start. */
const START_LIMIT_MS = 60_000;

export interface WorkOptions {
  /** How long the worker may be silent; infinity: as long as it takes. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  /** What the worker calls while it works, by name. */
  readonly host?: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** The worker has been silent for a moment, though it may yet finish. */
  readonly onBusy?: () => void;
}

export interface WorkerSettings<Settings> {
  /** What `serveAsWorker` in the entry serves. */
  readonly kind: string;
  /** Of JavaScript values at most. */
  readonly memoryMb: number;
  /** Plain data. */
  readonly settings: Settings;
}

/** Small, since each thread has one. By default V8 lets it grow to several times this, for no measurable speed. */
const YOUNG_GENERATION_MB = 24;

/**
 * A thread that does one piece of work at a time. A timer in it counts heartbeats in shared memory: a thread that waits
 * for a model keeps counting, and one in an endless loop does not and is terminated.
 */
export class WorkerThread<Requests extends RequestTable<Requests>, Settings = null> implements Disposable {
  readonly #worker: Worker;
  readonly #connection: PortConnection;
  readonly #beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #lost = Promise.withResolvers<never>();
  #host: NonNullable<WorkOptions['host']> = {};
  /** The processes that it has started. */
  readonly #processes = new Set<number>();
  #isLost = false;

  /** @param entry the module that serves this thread. */
  constructor(entry: URL, { kind, memoryMb, settings }: WorkerSettings<Settings>) {
    const beats = this.#beats.buffer as SharedArrayBuffer;
    const workerData: WorkerData<Settings> = { turnwise: kind, beats, settings };
    this.#worker = new Worker(entry, {
      workerData,
      name: 'turnwise',
      // Standard output may belong to a protocol, or to a report.
      stdout: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.stdout.on('data', (text) => process.stderr.write(text));
    this.#worker.on('error', (error) => this.#lose(lossOf(error)));
    this.#worker.on('exit', () => this.#lose({ kind: 'ended' }));
    this.#lost.promise.catch(() => {});
    this.#connection = new PortConnection(this.#worker);
    const call = ({ name, args }: HostCall) => this.#host[name]?.(...(args as never[]));
    this.#connection.onRequest(HOST_CALL, (asked) => call(asked as HostCall));
    this.#connection.onNotification(HOST_CALL, (notified) => void call(notified as HostCall));
    this.#connection.onNotification(PROCESS_NEWS, (news) => this.#note(news as ProcessNews));
    // Node warns of more than ten listeners, and there may be as many threads as cores.
    process.setMaxListeners(process.getMaxListeners() + 1).once('exit', this.#killProcesses);
  }

  /** Whether it can work. */
  get isAlive(): boolean {
    return !this.#isLost;
  }

  /** @throws WorkerLostError, or the error of the work. */
  async run<Method extends keyof Requests & string>(
    method: Method,
    params: Requests[Method]['params'],
    { limitMs, signal, host = {}, onBusy }: WorkOptions,
  ): Promise<Requests[Method]['result']> {
    this.#host = host;
    const watch = this.#watch(limitMs, signal, onBusy);
    try {
      const answer = this.#connection.request(method, params, signal);
      answer.catch(() => {});
      return await Promise.race([answer, this.#lost.promise]);
    } finally {
      clearInterval(watch);
      this.#host = {};
    }
  }

  #watch(limitMs: number, signal: AbortSignal | undefined, onBusy: (() => void) | undefined): NodeJS.Timeout {
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
      const limit = signal?.aborted ? Math.min(limitMs, CANCEL_LIMIT_MS) : limitMs;
      if (silentMs < (now === 0 ? START_LIMIT_MS : limit)) return;
      this.#lose({ kind: 'silent', seconds: limit / 1000 });
    }, CHECK_MS);
  }

  #note({ started, ended }: ProcessNews): void {
    if (started !== undefined) this.#processes.add(started);
    if (ended !== undefined) this.#processes.delete(ended);
  }

  #lose(loss: WorkerLoss): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lost.reject(new WorkerLostError(loss, Atomics.load(this.#beats, 0) > 0));
    this.#connection.close();
    process.setMaxListeners(process.getMaxListeners() - 1).off('exit', this.#killProcesses);
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
    this.#lose({ kind: 'stopped' });
  }
}

function lossOf(error: unknown): WorkerLoss {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? { kind: 'memory' } : { kind: 'failed', reason: errorMessage(error) };
}
