import { describe, expect, it, vi } from 'vitest';
import { brokenWords, Restarts } from '../../../src/extension/restarts.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));

describe('Restarts', () => {
  it('waits longer each time, and gives up with the fourth break in three minutes', () => {
    const restarts = new Restarts();
    const waits = [0, 10_000, 20_000].map((now) => restarts.next(now) ?? 0);
    expect(waits.every((wait) => wait > 0)).toBe(true);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(new Set(waits).size).toBe(3);
    expect(restarts.next(30_000)).toBeNull();
    expect(restarts.next(179_999)).toBeNull();
  });

  it('forgets what is longer ago', () => {
    const restarts = new Restarts();
    const first = restarts.next(0);
    restarts.next(1);
    restarts.next(2);
    expect(restarts.next(180_001)).not.toBeNull();
    expect(restarts.next(400_000)).toBe(first);
  });

  it('begins anew when a person has started it', () => {
    const restarts = new Restarts();
    const first = restarts.next(0);
    restarts.next(1);
    restarts.next(2);
    restarts.forget();
    expect(restarts.next(3)).toBe(first);
  });
});

describe('the log', () => {
  it('says when it is restarted, and when it is not any more', () => {
    expect(brokenWords(2_000)).toBe('The language server stopped. It is restarted in 2 s.');
    expect(brokenWords(null)).toContain('not restarted by itself');
  });
});
