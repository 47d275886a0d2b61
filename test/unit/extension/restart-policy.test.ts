import { describe, expect, it, vi } from 'vitest';
import { describeRestart, RestartPolicy } from '../../../src/extension/restart-policy.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));

describe('Restarts', () => {
  it('waits longer each time and gives up after the fourth crash in three minutes', () => {
    const restarts = new RestartPolicy();
    const waits = [0, 10_000, 20_000].map((now) => restarts.nextDelay(now) ?? 0);
    expect(waits.every((wait) => wait > 0)).toBe(true);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(new Set(waits).size).toBe(3);
    expect(restarts.nextDelay(30_000)).toBeNull();
    expect(restarts.nextDelay(179_999)).toBeNull();
  });

  it('forgets older crashes', () => {
    const restarts = new RestartPolicy();
    const first = restarts.nextDelay(0);
    restarts.nextDelay(1);
    restarts.nextDelay(2);
    expect(restarts.nextDelay(180_001)).not.toBeNull();
    expect(restarts.nextDelay(400_000)).toBe(first);
  });

  it('starts over after a manual start', () => {
    const restarts = new RestartPolicy();
    const first = restarts.nextDelay(0);
    restarts.nextDelay(1);
    restarts.nextDelay(2);
    restarts.reset();
    expect(restarts.nextDelay(3)).toBe(first);
  });
});

describe('the log', () => {
  it('reports restarts and giving up', () => {
    expect(describeRestart(2_000)).toBe('The language server stopped. Restarting in 2 s.');
    expect(describeRestart(null)).toContain('not restarted automatically');
  });
});
