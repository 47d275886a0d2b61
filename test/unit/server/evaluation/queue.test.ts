import { describe, expect, it } from 'vitest';
import { EvaluationQueue, type QueueLease } from '../../../../src/server/evaluation/queue.ts';

/** Settles all promises that can be settled now. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the queue of evaluations', () => {
  it('lets one evaluation run at a time, in the order of the requests', async () => {
    const queue = new EvaluationQueue();
    const order: string[] = [];
    const run = async (name: string) => {
      using _lease = await queue.acquire();
      order.push(`${name} starts`);
      await settle();
      order.push(`${name} ends`);
    };
    await Promise.all([run('first'), run('second')]);
    expect(order).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
  });

  it('lets others run while one waits for the user, and resumes it before those that have not started', async () => {
    const queue = new EvaluationQueue();
    const order: string[] = [];
    const asking = await queue.acquire();
    const second = Promise.withResolvers<void>();
    const runs = [
      queue.acquire().then(async (lease) => {
        order.push('second');
        await second.promise;
        lease.release();
      }),
      queue.acquire().then((lease) => {
        order.push('third');
        lease.release();
      }),
    ];
    asking.release();
    await settle();
    expect(order).toEqual(['second']);
    const resumed = asking.reacquire().then(() => order.push('first again'));
    second.resolve();
    await resumed;
    await settle();
    expect(order).toEqual(['second', 'first again']);
    asking.release();
    await Promise.all(runs);
    expect(order).toEqual(['second', 'first again', 'third']);
  });

  it('holds the others back again from when an evaluation resumes until it ends', async () => {
    const queue = new EvaluationQueue();
    const lease = await queue.acquire();
    lease.release();
    await lease.reacquire();
    let next: QueueLease | undefined;
    const waiting = queue.acquire().then((acquired) => {
      next = acquired;
    });
    await settle();
    expect(next).toBeUndefined();
    lease[Symbol.dispose]();
    await waiting;
    expect(next).toBeDefined();
  });

  it('gives a lease back once, however often it is released', async () => {
    const queue = new EvaluationQueue();
    const first = await queue.acquire();
    first.release();
    const second = await queue.acquire();
    first.release();
    first[Symbol.dispose]();
    let isThirdRunning = false;
    const third = queue.acquire().then(() => {
      isThirdRunning = true;
    });
    await settle();
    expect(isThirdRunning).toBe(false);
    second.release();
    await third;
  });
});
