import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../../src/core/async/semaphore.ts';

const never = new AbortController().signal;

describe('createSemaphore', () => {
  it('grants permits in the order of the requests, and never more than it has', async () => {
    const acquire = createSemaphore(2);
    const order: number[] = [];
    let permits = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const release = await acquire(never);
        order.push(index);
        permits += 1;
        most = Math.max(most, permits);
        await new Promise(setImmediate);
        permits -= 1;
        release();
      }),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(most).toBe(2);
  });

  it('passes the permit of an aborted request to the next in line', async () => {
    const acquire = createSemaphore(1);
    const release = await acquire(never);
    const stopped = new AbortController();
    const second = acquire(stopped.signal);
    const third = acquire(never);
    stopped.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    release();
    await expect(third).resolves.toBeTypeOf('function');
    await expect(acquire(stopped.signal)).rejects.toThrow('stopped');
  });
});
