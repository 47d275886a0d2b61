import { describe, expect, it } from 'vitest';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { reference } from './reference.ts';

describe('wilsonInterval', () => {
  it.each(reference.wilson)('of $successes in $trials agrees with SciPy', ({ successes, trials, expected }) => {
    const [low, high] = wilsonInterval(successes, trials);
    expect(low).toBeCloseTo(expected[0], 12);
    expect(high).toBeCloseTo(expected[1], 12);
  });

  it('is everything without trials', () => {
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });
});
