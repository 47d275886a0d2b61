import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcnemar } from '../../../src/stats/mcnemar.ts';
import { type BeforeAndAfter, testDrop } from '../../../src/stats/stratified-test.ts';

import { reference, relativeError } from './reference.ts';

const task = (before: number, of: number, after: number, ofAfter = of): BeforeAndAfter => ({
  before: { passed: before, of },
  after: { passed: after, of: ofAfter },
});

const anyTask = fc
  .record({ n: fc.integer({ min: 1, max: 12 }), m: fc.integer({ min: 1, max: 12 }) })
  .chain(({ n, m }) => fc.record({ b: fc.nat(n), a: fc.nat(m), n: fc.constant(n), m: fc.constant(m) }))
  .map(({ b, a, n, m }) => task(b, n, a, m));

describe('testDrop', () => {
  it.each(reference.fisher)(
    "gives a task Fisher's one-sided p, which agrees with SciPy for $first and $second, in both directions",
    ({ first, second, less, greater }) => {
      const stratum = ([passed, of]: typeof first, [passedAfter, ofAfter]: typeof first) =>
        testDrop([task(passed, of, passedAfter, ofAfter)]).strata[0] ?? Number.NaN;
      expect(relativeError(stratum(second, first), less)).toBeLessThan(1e-6);
      expect(relativeError(stratum(first, second), greater)).toBeLessThan(1e-6);
    },
  );

  it("is McNemar's test, up to the share of the other part, where each task has one attempt", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(60), (drops, rises) => {
        const strata = [
          ...Array.from({ length: drops }, () => task(1, 1, 0)),
          ...Array.from({ length: rises }, () => task(0, 1, 1)),
        ];
        expect(testDrop(strata).p).toBeCloseTo(Math.min(1, mcnemar(rises, drops).less / 0.8), 8);
      }),
    );
  });

  it('stays between 0 and 1, and does not fall when a task passes more often', () => {
    fc.assert(
      fc.property(fc.array(anyTask, { minLength: 1, maxLength: 8 }), (strata) => {
        const { p } = testDrop(strata);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        const allPass = strata.map(({ before, after }) => ({ before, after: { ...after, passed: after.of } }));
        expect(testDrop(allPass).p).toBeGreaterThan(0.05);
      }),
    );
  });

  it('sees a collapse of one task among a thousand, and a small drop of all of them', () => {
    const steady = Array.from({ length: 1000 }, (_, index) =>
      task(index % 5 === 0 ? 3 : 4, 4, index % 5 === 1 ? 3 : 4),
    );
    expect(testDrop(steady).p).toBeGreaterThan(0.05);
    expect(testDrop([...steady, task(40, 40, 10)]).p).toBeLessThan(1e-6);
    const lower = steady.map((stratum, index) => (index % 9 === 2 ? task(4, 4, 3) : stratum));
    expect(testDrop(lower).p).toBeLessThan(0.01);
  });

  it('counts a drop less where the attempts of the task disagreed before', () => {
    const steady = Array.from({ length: 10 }, () => task(10, 10, 9));
    const [reliable, flaky] = [task(20, 20, 14), task(13, 20, 7)];
    expect(testDrop([...steady, reliable]).p).toBeLessThan(testDrop([...steady, flaky]).p);
  });

  it('says nothing of no tasks, and nothing of tasks that always pass', () => {
    expect(testDrop([])).toEqual({ p: 1, strata: [] });
    expect(testDrop([task(3, 3, 3), task(0, 3, 0)]).p).toBe(1);
  });
});
