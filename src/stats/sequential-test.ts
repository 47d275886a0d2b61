import { betaQuantile } from './beta.ts';

export interface SequentialTestOptions {
  /** The most attempts that are made. */
  readonly limit: number;
  /**
   * What the fixed test says of so many attempts: it is asked about `limit` attempts, and about fewer. More successes never
   * make true false. Null where it says nothing.
   */
  readonly isMet: (attempts: number, successes: number) => boolean | null;
}

export interface SequentialTest {
  /** Whether the agent meets it, as far as these attempts decide that; null: it is open. */
  decide(attempts: number, successes: number): boolean | null;
  /**
   * How many attempts to make before the next decision: none of them is in vain, or they are an eighth of those that were made.
   * 0 where it is decided, or the limit is reached.
   */
  next(attempts: number, successes: number): number;
}

/** Of the fixed test at the rates between which the sequential test tells, and the nominal one of the latter. */
const ERROR = 0.05;
const BOUND = Math.log((1 - ERROR) / ERROR);
/** Rounds are made one after the other: the more attempts there were, the more a round has. */
const ATTEMPTS_PER_ROUND = 1 / 8;

/**
 * A test of a success rate that ends as soon as its answer is clear: A. Wald's sequential probability ratio test ("Sequential
 * Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16, 1945), truncated at the number of attempts of a fixed
 * test. The two rates that it tells apart are those at which the fixed test errs in 5 of 100 cases. It ends before that
 *
 * - where the attempts that are left cannot change the answer of the fixed test, or
 * - where the attempts are 19 times as likely under one rate as under the other,
 *
 * and in both cases only if the fixed test says the same of the attempts that were made, so that no report contradicts it.
 * A test that accepts no failure is left with the first case: after one failure it ends, and without any it makes all attempts.
 */
export function createSequentialTest({ limit, isMet }: SequentialTestOptions): SequentialTest {
  const needed = fewestSuccesses(limit, isMet);
  const { ofSuccess, ofFailure } = evidence(limit, needed);
  const decide = (attempts: number, successes: number): boolean | null => {
    if (attempts === 0) return null;
    const answer = isMet(attempts, successes);
    if (answer === null) return null;
    const isCertain = answer ? successes >= needed : successes + limit - attempts < needed;
    if (isCertain) return answer;
    const ratio = successes * ofSuccess + (attempts - successes) * ofFailure;
    return (answer ? ratio : -ratio) >= BOUND ? answer : null;
  };
  const next = (attempts: number, successes: number): number => {
    const left = limit - attempts;
    if (left <= 0 || decide(attempts, successes) !== null) return 0;
    let more = 1;
    const isOpen = (own: number) => decide(attempts + more, own) === null;
    while (more < left && isOpen(successes + more) && isOpen(successes)) more += 1;
    return Math.min(left, Math.max(more, Math.floor(attempts * ATTEMPTS_PER_ROUND)));
  };
  return { decide, next };
}

/** More than there are attempts where none are enough. */
function fewestSuccesses(limit: number, isMet: SequentialTestOptions['isMet']): number {
  let successes = 0;
  while (successes <= limit && isMet(limit, successes) !== true) successes += 1;
  return successes;
}

/** Logarithms of how much likelier a success, or a failure, is under the higher rate than under the lower. */
function evidence(limit: number, needed: number): { readonly ofSuccess: number; readonly ofFailure: number } {
  // Of a test with one answer there is nothing to find out.
  if (needed < 1 || needed > limit) return { ofSuccess: 0, ofFailure: 0 };
  const low = betaQuantile(ERROR, needed, limit - needed + 1);
  const high = betaQuantile(1 - ERROR, needed, limit - needed + 1);
  return { ofSuccess: Math.log(high / low), ofFailure: Math.log1p(-high) - Math.log1p(-low) };
}
