import { getHeapStatistics } from 'node:v8';
import type { Configuration } from '../config/schema.ts';
import { raceAbort } from '../core/async/race-abort.ts';
import { errorMessage } from '../core/error-message.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { SessionWorkers, WorkerResult } from '../engine/session-workers.ts';
import { describeLoss, WorkerLostError } from '../workers/worker-loss.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { WorkerThread } from '../workers/worker-thread.ts';
import { embedderFunction, judgeFunction } from './function-models.ts';
import { requiredModels, requiresModels } from './required-models.ts';
import { SESSION_WORKER, type SessionWorkerRequests, type SessionWorkerSettings } from './serve-session-worker.ts';
import { encodeSessionWithLines, OutcomeBatchDecoder } from './session-batch.ts';

/** Threads that evaluate the sessions of a run. */
export interface WorkerThreadOptions {
  /** A module that calls `serveSessionWorker` when it is loaded. */
  readonly entry: URL;
  readonly threads: number;
  readonly startAfterMs: number;
  /** Megabytes of JavaScript values in one thread; default: those of this one. */
  readonly memoryMb?: number;
}

/** Why the sessions of a configuration are evaluated in one thread, as a clause; null: several can. */
export function reasonForOneThread(configuration: Configuration): string | null {
  if (requiresModels(requiredModels(configuration))) return 'the calls to models take the time';
  const { custom } = configuration;
  const hasFunctions = judgeFunction(configuration) !== null || embedderFunction(configuration) !== null;
  return hasFunctions || custom.some(({ evaluate }) => evaluate !== undefined)
    ? 'functions of the configuration are called one after the other'
    : null;
}

/** A thread, and what it has sent before. */
class SessionThread extends WorkerThread<SessionWorkerRequests, SessionWorkerSettings> {
  readonly decoder = new OutcomeBatchDecoder();
}

const ABORTED: WorkerResult = { outcome: null, lost: null };

/** Evaluates sessions in threads, each a batch at a time. A batch whose thread ends is evaluated again, one session at a time. */
export class ThreadedSessions implements SessionWorkers, Disposable {
  readonly threads: number;
  readonly startAfterMs: number;
  readonly encode = encodeSessionWithLines;
  readonly #options: WorkerThreadOptions;
  readonly #settings: Omit<SessionWorkerSettings, 'plan'>;
  #pool: WorkerPool<SessionThread> | null = null;
  #batches = 0;

  constructor(
    { custom, embedder }: Pick<Configuration, 'custom' | 'embedder'>,
    addsHashes: boolean,
    options: WorkerThreadOptions,
  ) {
    this.threads = options.threads;
    this.startAfterMs = options.startAfterMs;
    this.#options = options;
    this.#settings = { custom, embedder, addsHashes };
  }

  async evaluate(
    plan: RunPlan,
    sessions: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly WorkerResult[] | null> {
    if (sessions.length === 0) return [];
    const running = this.#run(plan, sessions);
    const results = await raceAbort(running, signal);
    if (signal.aborted) running.catch(() => {});
    return results ?? (signal.aborted ? sessions.map(() => ABORTED) : null);
  }

  async #run(plan: RunPlan, sessions: readonly string[]): Promise<readonly WorkerResult[] | null> {
    this.#pool ??= this.#createPool(plan);
    this.#batches += 1;
    try {
      return await this.#pool.run(
        `batch ${this.#batches}`,
        async (thread) => {
          // A session can take long: how long it may take depends on the machine, and a result must not.
          const text = await thread.run('evaluate', { sessions }, { limitMs: Number.POSITIVE_INFINITY });
          return thread.decoder.decode(text).map((outcome): WorkerResult => ({ outcome, lost: null }));
        },
        { patienceMs: 0 },
      );
    } catch (error) {
      const isLost = error instanceof WorkerLostError;
      if (isLost && !error.hasStarted) return null;
      if (sessions.length > 1) return await this.#runEach(plan, sessions);
      const clause = isLost ? describeLoss(error.loss) : `Turnwise failed on it (${errorMessage(error)})`;
      return [{ outcome: null, lost: `This session was not evaluated: ${clause}.` }];
    }
  }

  async #runEach(plan: RunPlan, sessions: readonly string[]): Promise<readonly WorkerResult[] | null> {
    const results: WorkerResult[] = [];
    for (const session of sessions) {
      const [result] = (await this.#run(plan, [session])) ?? [];
      if (!result) return null;
      results.push(result);
    }
    return results;
  }

  #createPool(plan: RunPlan): WorkerPool<SessionThread> {
    const { entry, threads, memoryMb = heapLimitMb() } = this.#options;
    const settings = { ...this.#settings, plan };
    return new WorkerPool({
      start: () => new SessionThread(entry, { kind: SESSION_WORKER, memoryMb, settings }),
      most: threads,
    });
  }

  /** Ends all threads, whatever they do. */
  [Symbol.dispose](): void {
    this.#pool?.[Symbol.dispose]();
  }
}

/** What this thread may use itself. */
function heapLimitMb(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
}
