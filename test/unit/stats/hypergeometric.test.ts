import { describe, expect, it } from 'vitest';
import { hypergeometric } from '../../../src/stats/hypergeometric.ts';

describe('hypergeometric', () => {
  it('has one possible table where all or none succeed', () => {
    expect(hypergeometric(3, 4, 0)).toEqual({ low: 0, probabilities: [1] });
    expect(hypergeometric(3, 4, 7)).toEqual({ low: 3, probabilities: [1] });
    expect(hypergeometric(0, 0, 0)).toEqual({ low: 0, probabilities: [1] });
  });
});
