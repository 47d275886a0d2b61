import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcnemar } from '../../../src/stats/mcnemar.ts';
import { reference, relativeError } from './reference.ts';

describe('mcnemar', () => {
  it.each(reference.mcnemar)(
    'of $onlyFirst against $onlySecond agrees with SciPy',
    ({ onlyFirst, onlySecond, ...expected }) => {
      const test = mcnemar(onlyFirst, onlySecond);
      expect(relativeError(test.p, expected.p)).toBeLessThan(1e-7);
      expect(relativeError(test.less, expected.less)).toBeLessThan(1e-7);
      expect(relativeError(test.greater, expected.greater)).toBeLessThan(1e-7);
    },
  );

  it('needs six pairs that differ to reach 5%', () => {
    expect(mcnemar(0, 5).p).toBeGreaterThan(0.05);
    expect(mcnemar(0, 6).p).toBeLessThan(0.05);
  });

  it('is a probability, the same with both sides exchanged, and smaller the more one-sided the pairs are', () => {
    const count = fc.integer({ min: 0, max: 500 });
    fc.assert(
      fc.property(count, count, (first, second) => {
        const test = mcnemar(first, second);
        expect(test.p).toBeGreaterThan(0);
        expect(test.p).toBeLessThanOrEqual(1);
        const mirrored = mcnemar(second, first);
        expect([mirrored.p, mirrored.less]).toEqual([test.p, test.greater]);
        if (first >= second) expect(mcnemar(first + 1, second).p).toBeLessThanOrEqual(test.p + 1e-12);
      }),
    );
  });
});
