import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMutex } from '../../../../src/core/async/mutex.ts';

it('runs tasks one after the other, and goes on after one that fails', async () => {
  const exclusively = createMutex();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} starts`);
    await setImmediate();
    log.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
    return name;
  };
  const [a, b] = await Promise.allSettled([exclusively(task('a')), exclusively(task('b'))]);
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
  expect(a.status).toBe('rejected');
  expect(b).toEqual({ status: 'fulfilled', value: 'b' });
});
