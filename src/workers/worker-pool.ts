import { WorkerLostError } from './worker-loss.ts';

interface WorkerPoolOptions<Thread> {
  readonly start: () => Thread;
  /** Threads at most. */
  readonly most?: number;
  /** Threads without work end after this time. */
  readonly idleMs?: number;
}

/** A thread that a pool starts and ends. */
interface PooledThread extends Disposable {
  readonly isAlive: boolean;
}

interface WaitingWork<Thread> {
  readonly key: string;
  readonly patienceMs: number;
  readonly since: number;
  readonly begin: (thread: Thread) => void;
  readonly fail: (error: unknown) => void;
}

/** Enough for several files that take long; each has memory of its own. */
const MAX_THREADS = 6;
const IDLE_MS = 30_000;

/**
 * Threads that start when they are needed and end when they are idle. Work on one file runs in one thread at a time, so
 * that a file that takes too long keeps one thread from others and not all of them.
 */
export class WorkerPool<Thread extends PooledThread> implements Disposable {
  readonly #options: Required<WorkerPoolOptions<Thread>>;
  /** Threads without work, by what they worked on last. */
  readonly #idle = new Map<Thread, { readonly key: string; readonly end: NodeJS.Timeout }>();
  /** Threads at work, by what they work on. */
  readonly #running = new Map<Thread, string>();
  #waiting: WaitingWork<Thread>[] = [];
  #isDisposed = false;

  constructor({ start, most = MAX_THREADS, idleMs = IDLE_MS }: WorkerPoolOptions<Thread>) {
    this.#options = { start, most, idleMs };
  }

  /**
   * @param key what is worked on. @param patienceMs how long it waits for a thread that works on something else before
   * another thread starts.
   * @throws the error of the work.
   */
  async run<T>(
    key: string,
    work: (thread: Thread) => Promise<T>,
    { patienceMs, signal }: { readonly patienceMs: number; readonly signal?: AbortSignal },
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isDisposed) throw new Error('The worker threads are shut down.');
    const thread = await this.#acquire(key, patienceMs, signal);
    try {
      return await work(thread);
    } catch (error) {
      // What waits would be lost as well.
      if (error instanceof WorkerLostError) this.#failWaiting(key, error);
      throw error;
    } finally {
      this.#release(thread, key);
    }
  }

  #acquire(key: string, patienceMs: number, signal: AbortSignal | undefined): Promise<Thread> {
    const { promise, resolve, reject } = Promise.withResolvers<Thread>();
    const waiting = { key, patienceMs, since: performance.now(), begin: resolve, fail: reject };
    this.#waiting.push(waiting);
    this.#assign();
    if (!this.#waiting.includes(waiting)) return promise;
    const timer = setTimeout(() => this.#assign(), patienceMs + 1);
    const abort = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  }

  /** Gives threads to what waits, in its order. */
  #assign(): void {
    for (const waiting of [...this.#waiting]) {
      const thread = this.#threadFor(waiting);
      if (!thread) continue;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      this.#running.set(thread, waiting.key);
      waiting.begin(thread);
    }
  }

  #threadFor({ key, patienceMs, since }: WaitingWork<Thread>): Thread | null {
    if ([...this.#running.values()].includes(key)) return null;
    const idle = [...this.#idle].find(([, last]) => last.key === key) ?? [...this.#idle][0];
    if (idle) {
      const [thread, { end }] = idle;
      clearTimeout(end);
      this.#idle.delete(thread);
      // A thread can be lost without work too.
      return thread.isAlive ? thread : this.#options.start();
    }
    const isPatient = this.#running.size > 0 && performance.now() - since < patienceMs;
    return isPatient || this.#running.size >= this.#options.most ? null : this.#options.start();
  }

  #release(thread: Thread, key: string): void {
    this.#running.delete(thread);
    if (thread.isAlive) {
      const end = setTimeout(() => {
        this.#idle.delete(thread);
        thread[Symbol.dispose]();
      }, this.#options.idleMs);
      end.unref();
      this.#idle.set(thread, { key, end });
    }
    this.#assign();
  }

  #failWaiting(key: string, error: WorkerLostError): void {
    const failed = this.#waiting.filter((waiting) => waiting.key === key);
    this.#waiting = this.#waiting.filter((waiting) => waiting.key !== key);
    for (const { fail } of failed) fail(error);
  }

  /** Ends all threads, whatever they do. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const { end } of this.#idle.values()) clearTimeout(end);
    for (const thread of [...this.#idle.keys(), ...this.#running.keys()]) thread[Symbol.dispose]();
    this.#idle.clear();
  }
}
