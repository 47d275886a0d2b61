import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fisherTest, hypergeometric } from '../../../src/stats/fisher.ts';
import { reference, relativeError } from './reference.ts';

describe('fisherTest', () => {
  it.each(reference.fisher)(
    'of $first and $second agrees with SciPy',
    ({ first: [a, n], second: [b, m], ...expected }) => {
      const test = fisherTest({ successes: a, of: n }, { successes: b, of: m });
      expect(relativeError(test.p, expected.p)).toBeLessThan(1e-6);
      expect(relativeError(test.less, expected.less)).toBeLessThan(1e-6);
      expect(relativeError(test.greater, expected.greater)).toBeLessThan(1e-6);
    },
  );

  it('is a probability, and the same with the samples or the outcomes exchanged', () => {
    const sample = fc.tuple(fc.nat(40), fc.nat(40)).map(([successes, failures]) => ({ successes, failures }));
    fc.assert(
      fc.property(sample, sample, (first, second) => {
        const of = (one: typeof first, other: typeof first) =>
          fisherTest(
            { successes: one.successes, of: one.successes + one.failures },
            { successes: other.successes, of: other.successes + other.failures },
          );
        const mirrored = ({ successes, failures }: typeof first) => ({ successes: failures, failures: successes });
        const test = of(first, second);
        expect(test.p).toBeGreaterThan(0);
        expect(test.p).toBeLessThanOrEqual(1);
        expect(test.less + test.greater).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(of(second, first).p).toBeCloseTo(test.p, 10);
        expect(of(second, first).less).toBeCloseTo(test.greater, 10);
        expect(of(mirrored(first), mirrored(second)).p).toBeCloseTo(test.p, 10);
      }),
    );
  });
});

describe('hypergeometric', () => {
  it('has one possible table where all or none succeed', () => {
    expect(hypergeometric(3, 4, 0)).toEqual({ low: 0, probabilities: [1] });
    expect(hypergeometric(3, 4, 7)).toEqual({ low: 3, probabilities: [1] });
    expect(hypergeometric(0, 0, 0)).toEqual({ low: 0, probabilities: [1] });
  });
});
