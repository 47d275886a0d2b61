import type { ESTIMATORS } from '../../core/statuses.ts';
import { betaMoment, betaQuantile } from '../../stats/beta.ts';
import type { Interval } from '../../stats/intervals.ts';

export type Estimator = (typeof ESTIMATORS)[number];

export interface PassAtKQuery {
  /** Attempts. */
  readonly n: number;
  /** Correct attempts. */
  readonly c: number;
  /** Attempts that a user would make. */
  readonly k: number;
  /** Default: unbiased if k <= n, else plug-in. */
  readonly estimator?: Estimator;
  /** The share of the posterior inside an interval; default 0.95. */
  readonly ci?: number;
}

export interface PassAtKEstimate {
  readonly estimator: Estimator;
  readonly n: number;
  readonly c: number;
  readonly k: number;
  /** Probability that at least one of k attempts is correct. */
  readonly passAtK: number;
  /** Null except for bayesian. */
  readonly passAtKCi: Interval | null;
  /** Probability that all of k attempts are correct. */
  readonly passPowK: number;
  readonly passPowKCi: Interval | null;
  /** Null when nothing was attempted. */
  readonly assessment: Assessment | null;
  /** The Bayesian intervals, for every estimator; null if c is more than n. */
  readonly credible: { readonly passAtK: Interval; readonly passPowK: Interval } | null;
  /** Caveats, as sentences. */
  readonly hints: readonly string[];
}

/**
 * pass@k and pass^k of c correct out of n attempts.
 *
 * - plug-in: p = min(1, c / n), 1 - (1 - p)^k and p^k for any k; without attempts p is 0.
 * - unbiased: 1 - C(n-c, k) / C(n, k) and C(c, k) / C(n, k), for k <= n.
 * - bayesian: means over the posterior Beta(1 + c, 1 + n - c) of a uniform prior, in closed form; intervals between
 *   its quantiles, as both figures only grow with p.
 *
 * @throws RangeError with the sentence of `validateQuery`.
 */
export function passAtK(query: PassAtKQuery): PassAtKEstimate {
  const problem = validateQuery(query);
  if (problem !== null) throw new RangeError(problem);
  const { n, c, k, ci = DEFAULT_CI } = query;
  const estimator = chooseEstimator(query);
  const { atK, powK } = FORMULAS[estimator](n, c, k);
  const credible = c <= n ? credibleIntervals(n, c, k, ci) : null;
  return {
    estimator,
    n,
    c,
    k,
    passAtK: atK,
    passAtKCi: estimator === 'bayesian' && credible ? credible.passAtK : null,
    passPowK: powK,
    passPowKCi: estimator === 'bayesian' && credible ? credible.passPowK : null,
    assessment: n === 0 ? null : assess(atK, powK),
    credible,
    hints: hintsFor(n, k, estimator),
  };
}

/** The pass^k of `passAtK`. @throws RangeError as `passAtK` does. */
export function passPowK(query: PassAtKQuery): number {
  return passAtK(query).passPowK;
}

const DEFAULT_CI = 0.95;

/** Why there is no estimate, as a sentence; null when there is one. */
export function validateQuery(query: PassAtKQuery): string | null {
  const { n, c, k, ci = DEFAULT_CI } = query;
  if (!isCount(n)) return `n is ${n}; the number of attempts is a whole number from 0.`;
  if (!isCount(c)) return `c is ${c}; the number of correct attempts is a whole number from 0.`;
  if (!isCount(k) || k === 0) return `k is ${k}; it is a whole number from 1.`;
  if (!(ci > 0 && ci < 1)) return `ci is ${ci}; it is a share between 0 and 1, such as 0.95.`;
  const estimator = chooseEstimator(query);
  if (estimator === 'plug-in') return null;
  if (c > n) return `c is ${c} of n = ${n} attempts; there cannot be more correct attempts than attempts.`;
  if (estimator === 'unbiased' && k > n) {
    return `k is ${k} with n = ${n} attempts; the unbiased estimator needs k <= n. Make more attempts, or use plug-in or bayesian.`;
  }
  return null;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function chooseEstimator({ n, k, estimator }: PassAtKQuery): Estimator {
  return estimator ?? (k <= n ? 'unbiased' : 'plug-in');
}

type Formula = (n: number, c: number, k: number) => { readonly atK: number; readonly powK: number };

const FORMULAS: Readonly<Record<Estimator, Formula>> = {
  'plug-in': (n, c, k) => {
    const p = n === 0 ? 0 : Math.min(1, c / n);
    return { atK: atLeastOnce(p, k), powK: p ** k };
  },
  unbiased: (n, c, k) => ({ atK: 1 - shareOfSubsets(n, n - c, k), powK: shareOfSubsets(n, c, k) }),
  bayesian: (n, c, k) => ({
    atK: 1 - betaMoment(1 + n - c, 1 + c, k),
    powK: betaMoment(1 + c, 1 + n - c, k),
  }),
};

/** 1 - (1 - p)^k, exact also for small p. */
function atLeastOnce(p: number, k: number): number {
  return p === 1 ? 1 : -Math.expm1(k * Math.log1p(-p));
}

/** C(m, k) / C(n, k) for m <= n, k <= n: the share of the k-subsets of n that lie within m, as a product. */
function shareOfSubsets(n: number, m: number, k: number): number {
  if (k > m) return 0;
  // C(m, k) / C(n, k) = C(n - k, n - m) / C(n, n - m): the same share with fewer factors.
  const [taken, factors] = k <= n - m ? [n - m, k] : [k, n - m];
  let share = 1;
  for (let i = 0; i < factors; i += 1) share *= (n - taken - i) / (n - i);
  return share;
}

function credibleIntervals(n: number, c: number, k: number, ci: number): NonNullable<PassAtKEstimate['credible']> {
  const tail = (1 - ci) / 2;
  const low = betaQuantile(tail, 1 + c, 1 + n - c);
  const high = betaQuantile(1 - tail, 1 + c, 1 + n - c);
  return { passAtK: [atLeastOnce(low, k), atLeastOnce(high, k)], passPowK: [low ** k, high ** k] };
}

/** Fair Forge's words; `mixed` for combinations that its table lacks. */
export type Assessment = 'Reliable' | 'Inconsistent' | 'Needs Improvement' | 'mixed';

export const ASSESSMENTS: Readonly<Record<Assessment, string>> = {
  Reliable: 'High success and consistency',
  Inconsistent: 'Can succeed but unreliable',
  'Needs Improvement': 'Low success rate',
  mixed: 'Between the clear cases',
};

function assess(atK: number, powK: number): Assessment {
  if (atK < 0.7) return 'Needs Improvement';
  if (atK > 0.95 && powK > 0.7) return 'Reliable';
  return atK > 0.95 && powK < 0.5 ? 'Inconsistent' : 'mixed';
}

const SMALL_SAMPLE = 30;

function hintsFor(n: number, k: number, estimator: Estimator): string[] {
  const hints: string[] = [];
  if (estimator === 'plug-in' && n < SMALL_SAMPLE) {
    hints.push(
      `n = ${n} is a small sample for a plug-in estimate; below ${SMALL_SAMPLE} attempts, use the Bayesian interval.`,
    );
  }
  if (k === 1) hints.push('k = 1 is the rate of a single attempt; 3 to 5 balances reliability and cost.');
  else if (k >= 10) hints.push('k of 10 and more is for high stakes; 3 to 5 balances reliability and cost.');
  return hints;
}
