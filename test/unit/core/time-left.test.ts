import { describe, expect, it } from 'vitest';
import { secondsLeft } from '../../../src/core/time-left.ts';

describe('the time left', () => {
  it.each([
    [{ done: 2, of: 40, elapsedMs: 9000 }, null],
    [{ done: 30, of: 40, elapsedMs: 1500 }, null],
    [{ done: 40, of: 40, elapsedMs: 9000 }, null],
    [{ done: 12, of: 40, elapsedMs: 9000 }, 20],
    [{ done: 39, of: 40, elapsedMs: 9000 }, 5],
    [{ done: 10, of: 100, elapsedMs: 10_000 }, 90],
    [{ done: 10, of: 1000, elapsedMs: 10_000 }, 1020],
  ])('%j', (progress, expected) => {
    expect(secondsLeft(progress)).toBe(expected);
  });
});
