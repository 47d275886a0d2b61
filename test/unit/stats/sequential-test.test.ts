import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSequentialTest } from '../../../src/stats/sequential-test.ts';
import {
  equallyExactNumber,
  isShareMet,
  simulateSequential,
  tellingRates,
} from '../../bench/until-decided/simulate.ts';

const SCENARIOS = 4000;
/** Three standard errors of a share of 6 %. */
const NOISE = 3 * Math.sqrt((0.06 * 0.94) / SCENARIOS);

describe('a sequential test', () => {
  it.each([
    { limit: 20, share: 0.8 },
    { limit: 30, share: 0.5 },
    { limit: 50, share: 0.9 },
  ])(
    'of at most $limit attempts at a gate of $share errs as often as a fixed number that takes 1.6 times the attempts',
    (gate) => {
      const rates = tellingRates(gate);
      const low = simulateSequential(gate, rates.low, SCENARIOS, 1);
      const high = simulateSequential(gate, rates.high, SCENARIOS, 2);
      const errors = { passedAtLow: low.passed, failedAtHigh: 1 - high.passed };
      // The fixed number errs in 5 % of both, and no test of at most so many attempts in less.
      expect(errors.passedAtLow).toBeLessThan(0.067 + NOISE);
      expect(errors.failedAtHigh).toBeLessThan(0.067 + NOISE);
      const asExact = equallyExactNumber(gate.limit, rates, errors);
      expect(asExact).toBeGreaterThan(0.85 * gate.limit);
      expect((low.attempts + high.attempts) / 2).toBeLessThan(0.6 * asExact);
    },
  );

  it('is certain where one failure fails, so that it ends there, and makes all attempts without one', () => {
    const gate = { limit: 10, share: 1 };
    const { decide, next } = createSequentialTest({ limit: gate.limit, isMet: isShareMet(gate) });
    expect(next(0, 0)).toBe(1);
    expect(decide(3, 3)).toBe(null);
    expect(decide(4, 3)).toBe(false);
    expect(next(4, 3)).toBe(0);
    expect(decide(9, 9)).toBe(null);
    expect(decide(10, 10)).toBe(true);
  });

  it('says nothing that the gate does not say of the same attempts, and what it says when all are made', () => {
    const limit = fc.integer({ min: 1, max: 60 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(limit, share, fc.nat(), fc.nat(), (most, gate, n, c) => {
        const isMet = isShareMet({ limit: most, share: gate });
        const attempts = 1 + (n % most);
        const successes = c % (attempts + 1);
        const test = createSequentialTest({ limit: most, isMet });
        const decision = test.decide(attempts, successes);
        if (decision !== null) expect(decision).toBe(isMet(attempts, successes));
        if (attempts === most) expect(decision).toBe(isMet(attempts, successes));
        const more = test.next(attempts, successes);
        expect(more > 0).toBe(decision === null);
        expect(attempts + more).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('begins with no more attempts than its first decision needs', () => {
    const gate = { limit: 20, share: 0.8 };
    const { decide, next } = createSequentialTest({ limit: gate.limit, isMet: isShareMet(gate) });
    const first = next(0, 0);
    expect(first).toBeGreaterThan(1);
    expect(decide(first, 0)).toBe(false);
    expect([decide(first - 1, 0), decide(first - 1, first - 1)]).toEqual([null, null]);
  });

  it('fails at once what all attempts together could not meet', () => {
    const { decide } = createSequentialTest({
      limit: 5,
      isMet: (attempts, successes) => attempts > 5 && successes > 5,
    });
    expect(decide(1, 1)).toBe(false);
  });

  it('makes an attempt where the gate is met without any success', () => {
    const { decide, next } = createSequentialTest({ limit: 5, isMet: () => true });
    expect([decide(0, 0), next(0, 0)]).toEqual([null, 1]);
    expect(decide(1, 0)).toBe(true);
  });

  it('is open as long as the gate says nothing', () => {
    const isMet = (attempts: number, successes: number) => (attempts < 3 ? null : successes >= 2);
    const { decide, next } = createSequentialTest({ limit: 4, isMet });
    expect(next(0, 0)).toBe(3);
    expect(decide(2, 2)).toBe(null);
    expect(decide(3, 2)).toBe(true);
  });
});
