import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangedFileQueue } from '../../../src/input/changed-file-queue.ts';
import { ChangingFiles } from '../server/sync/changing-files.ts';

const DELAY_MS = 500;

function changedFiles(onComplete: (paths: readonly string[]) => Promise<void> = async () => {}) {
  const files = new ChangingFiles();
  const complete: string[][] = [];
  const changed = new ChangedFileQueue({
    files,
    delayMs: DELAY_MS,
    onComplete: async (paths) => {
      complete.push([...paths]);
      await onComplete(paths);
    },
  });
  const write = (...paths: string[]) => {
    for (const path of paths) files.write(path, 'text');
    changed.add(paths);
  };
  return { files, changed, complete, write };
}

describe('changed files', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are complete when they have not changed between two looks', async () => {
    const { complete, write } = changedFiles();
    write('/a');
    await vi.advanceTimersByTimeAsync(DELAY_MS);
    expect(complete).toEqual([]);
    write('/a');
    await vi.advanceTimersByTimeAsync(DELAY_MS);
    expect(complete).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * DELAY_MS);
    expect(complete).toEqual([['/a']]);
  });

  it('are handed on together when they change soon after each other', async () => {
    const { complete, write } = changedFiles();
    write('/a');
    await vi.advanceTimersByTimeAsync(DELAY_MS / 2);
    write('/b', '/c');
    await vi.advanceTimersByTimeAsync(3 * DELAY_MS);
    expect(complete).toEqual([['/a', '/b', '/c']]);
  });

  it('do not wait for ever for a file that is written without a pause', async () => {
    const { complete, write } = changedFiles();
    write('/a');
    for (let at = 0; at < 60; at += 1) {
      write('/log');
      await vi.advanceTimersByTimeAsync(DELAY_MS / 2);
    }
    expect(complete).toEqual([['/a']]);
  });

  it('wait while others are handed on, and are forgotten when they are deleted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { files, complete, write } = changedFiles(() => promise);
    write('/a');
    await vi.advanceTimersByTimeAsync(2 * DELAY_MS);
    write('/b', '/gone');
    files.delete('/gone');
    await vi.advanceTimersByTimeAsync(4 * DELAY_MS);
    expect(complete).toEqual([['/a']]);
    resolve();
    await vi.advanceTimersByTimeAsync(2 * DELAY_MS);
    expect(complete).toEqual([['/a'], ['/b']]);
  });

  it('are handed on no more after disposal', async () => {
    const { changed, complete, write } = changedFiles();
    write('/a');
    changed[Symbol.dispose]();
    write('/b');
    await vi.advanceTimersByTimeAsync(4 * DELAY_MS);
    expect(complete).toEqual([]);
  });
});
