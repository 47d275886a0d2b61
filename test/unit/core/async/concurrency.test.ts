import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapConcurrent } from '../../../../src/core/async/concurrency.ts';

describe('mapConcurrent', () => {
  it('keeps results in the order of the items, whatever finishes first', async () => {
    const doubled = await mapConcurrent([3, 1, 2], 3, async (item) => {
      for (let wait = 0; wait < item; wait += 1) await setImmediate();
      return item * 2;
    });
    expect(doubled).toEqual([6, 2, 4]);
  });

  it('has at most as many tasks in flight as the limit says, and as many where there are items', async () => {
    let running = 0;
    let most = 0;
    await mapConcurrent(Array(20).keys(), 4, async () => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
    });
    expect(most).toBe(4);
  });

  it('maps plain values without giving up the event loop', async () => {
    let isInterrupted = false;
    const timer = setImmediate().then(() => {
      isInterrupted = true;
    });
    await mapConcurrent(Array(1000).keys(), 2, (item) => item);
    expect(isInterrupted).toBe(false);
    await timer;
  });

  it('pulls from an async iterable no further than it has room', async () => {
    let pulled = 0;
    async function* source() {
      for (let item = 0; item < 10; item += 1) {
        pulled += 1;
        yield item;
      }
    }
    const gate = Promise.withResolvers<void>();
    const mapped = mapConcurrent(source(), 3, async (item, index) => {
      await gate.promise;
      return [item, index];
    });
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(pulled).toBe(3);
    gate.resolve();
    expect(await mapped).toEqual(Array.from({ length: 10 }, (_, index) => [index, index]));
  });

  it('rejects with the first failure, starts nothing more and closes its source', async () => {
    let isClosed = false;
    const started: number[] = [];
    function* source() {
      try {
        for (let item = 0; ; item += 1) yield item;
      } finally {
        isClosed = true;
      }
    }
    const mapped = mapConcurrent(source(), 2, async (item) => {
      started.push(item);
      await setImmediate();
      if (item === 3) throw new Error('no');
    });
    await expect(mapped).rejects.toThrow('no');
    const count = started.length;
    await setImmediate();
    await setImmediate();
    expect(started).toHaveLength(count);
    expect(isClosed).toBe(true);
  });
});
