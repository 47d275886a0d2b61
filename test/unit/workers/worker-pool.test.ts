import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WorkerLostError } from '../../../src/workers/worker-loss.ts';
import { WorkerPool } from '../../../src/workers/worker-pool.ts';

/** A thread that notes what it works on. */
class FakeThread implements Disposable {
  isAlive = true;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  [Symbol.dispose](): void {
    this.isAlive = false;
  }
}

function createPool(options: { readonly most?: number; readonly idleMs?: number } = {}) {
  const threads: FakeThread[] = [];
  const pool = new WorkerPool({
    ...options,
    start: () => {
      const thread = new FakeThread(`thread ${threads.length + 1}`);
      threads.push(thread);
      return thread;
    },
  });
  /** Work that goes on until it is ended. @returns on which thread it runs */
  const begin = (key: string, { patienceMs = 0, signal }: { patienceMs?: number; signal?: AbortSignal } = {}) => {
    const started = Promise.withResolvers<string>();
    const end = Promise.withResolvers<void>();
    const work = async (thread: FakeThread) => {
      started.resolve(thread.name);
      await end.promise;
      return thread.name;
    };
    const over = pool.run(key, work, { patienceMs, ...(signal && { signal }) });
    over.catch((error) => started.reject(error));
    started.promise.catch(() => {});
    return { started: started.promise, over, end: () => end.resolve(), lose: (error: Error) => end.reject(error) };
  };
  return { threads, pool, begin };
}

describe('a pool of worker threads', () => {
  it('starts no thread before there is work, and uses an idle one again', async () => {
    const { threads, begin } = createPool();
    expect(threads).toEqual([]);
    for (const key of ['a', 'b']) {
      const work = begin(key);
      work.end();
      expect(await work.over).toBe('thread 1');
    }
  });

  it('runs work on one file in one thread at a time, and work on another file in another', async () => {
    const { threads, begin } = createPool();
    const [first, second, other] = [begin('a'), begin('a'), begin('b')];
    expect([await first.started, await other.started]).toEqual(['thread 1', 'thread 2']);
    first.end();
    expect(await second.started).toBe('thread 1');
    expect(threads).toHaveLength(2);
  });

  it('starts another thread only after a moment for work that is patient', async () => {
    const { threads, begin } = createPool();
    begin('a');
    const patient = begin('b', { patienceMs: 50 });
    await setTimeout(0);
    expect(threads).toHaveLength(1);
    expect(await patient.started).toBe('thread 2');
  });

  it('prefers the thread that has worked on the file', async () => {
    const { begin } = createPool();
    const [a, b] = [begin('a'), begin('b')];
    for (const work of [a, b]) work.end();
    await Promise.all([a.over, b.over]);
    expect(await begin('b').started).toBe('thread 2');
  });

  it('starts no more threads than it may', async () => {
    const { threads, begin } = createPool({ most: 2 });
    const [a, , c] = [begin('a'), begin('b'), begin('c')];
    await setTimeout(10);
    expect(threads).toHaveLength(2);
    a.end();
    expect(await c.started).toBe('thread 1');
  });

  it('replaces a lost thread, and fails what waits for the same file', async () => {
    const { threads, begin } = createPool();
    const [first, same] = [begin('a'), begin('a')];
    await first.started;
    threads[0]?.[Symbol.dispose]();
    first.lose(new WorkerLostError({ kind: 'silent', seconds: 3 }));
    await expect(first.over).rejects.toThrow('it took more than 3 s');
    await expect(same.over).rejects.toThrow('it took more than 3 s');
    expect(await begin('a').started).toBe('thread 2');
  });

  it('forgets waiting work that is cancelled', async () => {
    const { begin } = createPool();
    const first = begin('a');
    const stop = new AbortController();
    const waiting = begin('a', { signal: stop.signal });
    stop.abort();
    await expect(waiting.over).rejects.toThrow('aborted');
    first.end();
    await first.over;
  });

  it('ends idle threads after a while, and all of them with itself', async () => {
    const { threads, pool, begin } = createPool({ idleMs: 20 });
    const work = begin('a');
    work.end();
    await work.over;
    await expect.poll(() => threads[0]?.isAlive).toBe(false);
    await begin('b').started;
    pool[Symbol.dispose]();
    expect(threads[1]?.isAlive).toBe(false);
    await expect(begin('c').over).rejects.toThrow('shut down');
  });
});
