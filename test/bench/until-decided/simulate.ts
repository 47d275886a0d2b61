import { betaCdf, betaQuantile } from '../../../src/stats/beta.ts';
import { seeded } from '../../../src/stats/random.ts';
import { createSequentialTest } from '../../../src/stats/sequential-test.ts';

/** A gate on the share of successful attempts, tested with at most so many of them. */
export interface RateGate {
  readonly limit: number;
  readonly share: number;
}

export interface SimulatedRate {
  /** Of scenarios that passed. */
  readonly passed: number;
  /** Attempts of each, on average. */
  readonly attempts: number;
  readonly rounds: number;
}

export function isShareMet({ share }: RateGate): (attempts: number, successes: number) => boolean {
  return (attempts, successes) => successes >= fewest(attempts, share);
}

function fewest(attempts: number, share: number): number {
  return Math.ceil(share * attempts - 1e-9);
}

/** Tests scenarios at which an agent succeeds at this rate. */
export function simulateSequential(gate: RateGate, rate: number, scenarios: number, seed: number): SimulatedRate {
  const random = seeded(seed);
  const test = createSequentialTest({ limit: gate.limit, isMet: isShareMet(gate) });
  const sums = { passed: 0, attempts: 0, rounds: 0 };
  for (let scenario = 0; scenario < scenarios; scenario += 1) {
    let [attempts, successes] = [0, 0];
    for (let more = test.next(0, 0); more > 0; more = test.next(attempts, successes)) {
      sums.rounds += 1;
      attempts += more;
      for (let attempt = 0; attempt < more; attempt += 1) successes += Number(random() < rate);
    }
    sums.attempts += attempts;
    sums.passed += Number(test.decide(attempts, successes));
  }
  return {
    passed: sums.passed / scenarios,
    attempts: sums.attempts / scenarios,
    rounds: sums.rounds / scenarios,
  };
}

/** The rates at which all attempts together err in 5 of 100 cases: the lower one passes, the higher one fails. */
export function tellingRates({ limit, share }: RateGate): { readonly low: number; readonly high: number } {
  const needed = fewest(limit, share);
  return {
    low: betaQuantile(0.05, needed, limit - needed + 1),
    high: betaQuantile(0.95, needed, limit - needed + 1),
  };
}

/** The smallest fixed number of attempts up to the limit that, with some number of successes to reach, errs as rarely at both rates. */
export function equallyExactNumber(
  limit: number,
  { low, high }: { readonly low: number; readonly high: number },
  errors: { readonly passedAtLow: number; readonly failedAtHigh: number },
): number {
  for (let attempts = 1; attempts < limit; attempts += 1) {
    for (let needed = 0; needed <= attempts; needed += 1) {
      const isAsExact =
        passes(attempts, needed, low) <= errors.passedAtLow &&
        1 - passes(attempts, needed, high) <= errors.failedAtHigh;
      if (isAsExact) return attempts;
    }
  }
  return limit;
}

/** The probability of so many successes, or more. */
function passes(attempts: number, needed: number, rate: number): number {
  return needed === 0 ? 1 : betaCdf(rate, needed, attempts - needed + 1);
}
