import { describe, expect, it } from 'vitest';
import { wilsonInterval } from '../../../src/stats/intervals.ts';

describe('wilsonInterval', () => {
  // As R's `prop.test(correct = FALSE)` and `binom::binom.wilson` give them.
  it.each([
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [1, 3, 0.0615, 0.7923],
    [10, 10, 0.7225, 1],
  ])('of %d in %d is %d to %d', (count, of, low, high) => {
    const [from, to] = wilsonInterval(count, of);
    expect(from).toBeCloseTo(low, 4);
    expect(to).toBeCloseTo(high, 4);
  });

  it('is everything without trials', () => {
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });
});
