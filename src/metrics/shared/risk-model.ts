import type { Finding } from '../../core/finding.ts';
import type { Evidence, JudgeProblem } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import { type FindingLevel, isProblemLevel, type Severity } from '../../core/severity.ts';

/** Fitted by `npm run calibrate:risk`, in natural logarithms of odds. */
export interface RiskCoefficients {
  /** What the weights were fitted on, as one sentence. */
  readonly fittedOn: string;
  /** The log-odds that a session without findings failed. */
  readonly intercept: number;
  /** What one finding of a rule adds, by the rule's id; never negative. */
  readonly weights: Readonly<Record<string, number>>;
}

/**
 * What one finding adds if labelled data has too little of its rule. By judgement: a low one multiplies the odds of
 * failure by 1.25, a medium one by 2, a high one by 5, a critical one by 50. The fit uses the same figures as its prior.
 */
export const PRIOR_WEIGHTS: Readonly<Record<FindingLevel, number>> = {
  info: 0,
  low: Math.log(1.25),
  medium: Math.log(2),
  high: Math.log(5),
  critical: Math.log(50),
};

/** A judge's signal of 0 weighs as a high finding. By judgement: no labelled data has signals. */
const SIGNAL_WEIGHT = PRIOR_WEIGHTS.high;

/** Further findings of one rule do not count: sessions with more are too rare to measure their effect. */
const MAX_COUNTED = 7;

/** How much n findings of one rule count: each doubling of 1 + n as much as the first. 1, 1.58, 2 … 3. */
export function countWeight(count: number): number {
  return Math.log2(1 + Math.min(count, MAX_COUNTED));
}

/** A contribution to the risk: the findings of a rule, the failures of one label, or a score. */
export interface RiskTerm {
  readonly from:
    | { readonly rule: string; readonly count: number }
    | { readonly label: string; readonly count: number }
    | { readonly signal: string; readonly score: number };
  /** What it adds to the logarithm of the odds of failure; never negative. */
  readonly logOdds: number;
  /** Whether its weight was fitted to labelled data. */
  readonly calibrated: boolean;
  /** Whether it comes from observations only. */
  readonly observed: boolean;
  /** A sentence. */
  readonly because: string;
  readonly evidence: readonly Evidence[];
}

/** The evidence of one term is limited: a long session may have very many findings. */
const MAX_EVIDENCE = 20;

/** A term for each rule with findings, the heaviest first. */
export function findingTerms(findings: readonly Finding[], coefficients: RiskCoefficients): RiskTerm[] {
  return [...Map.groupBy(findings, ({ rule }) => rule)]
    .map(([rule, findings]) => ruleTerm(rule, findings, coefficients))
    .sort((a, b) => b.logOdds - a.logOdds);
}

function ruleTerm(rule: string, findings: readonly Finding[], { weights }: RiskCoefficients): RiskTerm {
  const fitted = Object.hasOwn(weights, rule) ? weights[rule] : undefined;
  const weighed = findings
    .map((finding) => ({ finding, weight: weightOf(finding, fitted) }))
    .sort((a, b) => b.weight - a.weight);
  // The most severe counts in full and each further one less, so that none lowers the sum.
  const logOdds = weighed.reduce((sum, { weight }, n) => sum + weight * (countWeight(n + 1) - countWeight(n)), 0);
  const message = weighed[0]?.finding.message ?? '';
  return {
    from: { rule, count: findings.length },
    logOdds,
    calibrated: fitted !== undefined,
    observed: !findings.some(({ severity }) => isProblemLevel(severity)),
    because: findings.length === 1 ? message : `${message} And ${findings.length - 1} more like it.`,
    evidence: weighed.flatMap(({ finding }) => finding.evidence).slice(0, MAX_EVIDENCE),
  };
}

/** A fitted weight applies at every level, but a critical finding never weighs less than its prior. */
function weightOf({ severity }: Finding, fitted: number | undefined): number {
  if (fitted === undefined) return PRIOR_WEIGHTS[severity];
  return severity === 'critical' ? Math.max(fitted, PRIOR_WEIGHTS.critical) : fitted;
}

/** A score from 0 to 1 by a model or from the file. Scores by rules are not signals: their findings have terms. */
export function signalTerm(signal: string, value: number, evidence: readonly Evidence[], weight: number): RiskTerm {
  return {
    from: { signal, score: round(value) },
    logOdds: Math.max(0, SIGNAL_WEIGHT * weight * (1 - value)),
    calibrated: false,
    observed: false,
    because: `${signal} is ${round(value, 2)}${weight === 1 ? '' : `, weighted ${round(weight, 2)}`}.`,
    evidence,
  };
}

/** Failures of one label that a judge named, the most severe first; each weighs as a finding of its severity. */
export function termOfNamed(
  label: string,
  failures: readonly JudgeProblem[],
  severityOf: (failure: JudgeProblem) => Severity,
): RiskTerm {
  const logOdds = failures.reduce(
    (sum, failure, n) => sum + PRIOR_WEIGHTS[severityOf(failure)] * (countWeight(n + 1) - countWeight(n)),
    0,
  );
  const reason = failures[0]?.reason ?? '';
  return {
    from: { label, count: failures.length },
    logOdds,
    calibrated: false,
    observed: false,
    because: `The judge names ${label}: ${reason}${failures.length === 1 ? '' : ` And ${failures.length - 1} more like it.`}`,
    evidence: failures.flatMap(({ evidence }) => evidence).slice(0, MAX_EVIDENCE),
  };
}

/** The risk of a session, split into its terms. */
export interface RiskExplanation {
  /** The risk without any term. */
  readonly base: number;
  readonly risk: number;
  /** What each term adds, in the order of the terms. Together with the base they sum to the risk, exact to four places. */
  readonly adds: readonly number[];
}

/** sigmoid(intercept + Σ terms), and each term's share of what they add to the base, in proportion to its log-odds. */
export function explainRisk(terms: readonly RiskTerm[], { intercept }: RiskCoefficients): RiskExplanation {
  const total = terms.reduce((sum, { logOdds }) => sum + logOdds, 0);
  const base = round(sigmoid(intercept));
  const risk = round(sigmoid(intercept + total));
  let sum = 0;
  let listed = 0;
  const adds = terms.map(({ logOdds }) => {
    sum += logOdds;
    const upToHere = total === 0 ? 0 : round(((risk - base) * sum) / total);
    const add = round(upToHere - listed);
    listed = upToHere;
    return add;
  });
  return { base, risk, adds };
}

/**
 * The risk of one finding or signal by itself, by Abbott's formula: of the sessions that would not have failed anyway,
 * the share that fails with it, (risk - base) / (1 - base).
 */
export function riskOfTerm({ logOdds }: RiskTerm, { intercept }: RiskCoefficients): number {
  const base = sigmoid(intercept);
  return (sigmoid(intercept + logOdds) - base) / (1 - base);
}

/** From log-odds to a probability. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
