import type * as z from 'zod/mini';
import type { DeepReadonly } from '../../core/deep-readonly.ts';
import type { Finding } from '../../core/finding.ts';
import type { Evidence, JudgeProblem } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import type { riskCoefficientsSchema } from '../../core/schemas/risk-coefficients.ts';
import type { Session } from '../../core/session.ts';
import { type FindingLevel, isProblemLevel, type Severity } from '../../core/severity.ts';
import type { RiskLevel } from '../../core/statuses.ts';
import { findRule } from '../../rules/index.ts';
import { sigmoid } from '../../stats/logistic.ts';

/** Fitted by `fitRisk`, in natural logarithms of odds. */
export interface RiskCoefficients extends DeepReadonly<z.infer<typeof riskCoefficientsSchema>> {}

/** Adds weight x (value - centre). */
export interface CentredWeight {
  /** Never negative. */
  readonly weight: number;
  readonly centre: number;
}

export interface RiskLevels {
  readonly elevated: number;
  readonly high: number;
}

/** How other attempts of a session's task compare with it. */
export interface AttemptAgreement {
  readonly others: number;
  /** The share of them that made the same changes. */
  readonly share: number;
}

/** All that the risk of a session without signals depends on. */
export interface RiskInputs {
  readonly findings: readonly CountedFinding[];
  /** Characters of the messages of user and agent. */
  readonly length: number;
  /** Null without other attempts of the task. */
  readonly agreement: AttemptAgreement | null;
}

type CountedFinding = Pick<Finding, 'rule' | 'severity'>;

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

/** Characters of the messages of user and agent. */
export function conversationLength({ turns }: Pick<Session, 'turns'>): number {
  return turns.reduce((sum, { input, output }) => sum + (input?.length ?? 0) + (output?.length ?? 0), 0);
}

/** How much the length of a conversation counts: each doubling as much as the one before. 0 for none, 1 for 500 characters. */
export function lengthMeasure(characters: number): number {
  return Math.log2(1 + characters / 500);
}

/** The log-odds that another attempt of the task makes other changes, with half an attempt of each kind added. */
export function disagreement({ others, share }: AttemptAgreement): number {
  return Math.log((others * (1 - share) + 0.5) / (others * share + 0.5));
}

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
  const fitted = fittedWeight(rule, weights);
  const weighed = findings.toSorted((a, b) => weightOf(b, fitted) - weightOf(a, fitted));
  const message = weighed[0]?.message ?? '';
  return {
    from: { rule, count: findings.length },
    logOdds: ruleLogOdds(findings, fitted),
    calibrated: fitted !== undefined && findings.every(isFitted),
    observed: !findings.some(({ severity }) => isProblemLevel(severity)),
    because: findings.length === 1 ? message : `${message} And ${findings.length - 1} more like it.`,
    evidence: weighed.flatMap(({ evidence }) => evidence).slice(0, MAX_EVIDENCE),
  };
}

/** What the findings of one rule add: the most severe in full and each further one less, so that none lowers the sum. */
function ruleLogOdds(findings: readonly CountedFinding[], fitted: number | undefined): number {
  const weights = findings.map((finding) => weightOf(finding, fitted)).sort((a, b) => b - a);
  return weights.reduce((sum, weight, n) => sum + weight * (countWeight(n + 1) - countWeight(n)), 0);
}

function fittedWeight(rule: string, weights: RiskCoefficients['weights']): number | undefined {
  return Object.hasOwn(weights, rule) ? weights[rule] : undefined;
}

/** A fitted weight is that of findings as severe as their rule is by default; what is more severe weighs at least its own. */
function weightOf(finding: CountedFinding, fitted: number | undefined): number {
  const ofSeverity = PRIOR_WEIGHTS[finding.severity];
  if (fitted === undefined) return ofSeverity;
  return isFitted(finding) ? fitted : Math.max(fitted, ofSeverity);
}

/** No labelled data shows what a critical finding costs. */
function isFitted({ rule, severity }: CountedFinding): boolean {
  const usual = PRIOR_WEIGHTS[findRule(rule)?.severity ?? 'high'];
  return severity !== 'critical' && PRIOR_WEIGHTS[severity] <= usual;
}

/** The count weights that a fitted weight of a rule applies to, by rule. */
export function fittedMeasures(findings: readonly CountedFinding[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(findings, ({ rule }) => rule)].map(([rule, found]) => [rule, measure(found)]));
}

function measure(findings: readonly CountedFinding[]): number {
  const moreSevere = findings.filter((finding) => !isFitted(finding)).length;
  return countWeight(findings.length) - countWeight(moreSevere);
}

/** The log-odds of findings, signals apart. */
export function findingLogOdds(findings: readonly CountedFinding[], weights: RiskCoefficients['weights']): number {
  const byRule = [...Map.groupBy(findings, ({ rule }) => rule)];
  return byRule.reduce((sum, [rule, found]) => sum + ruleLogOdds(found, fittedWeight(rule, weights)), 0);
}

/** The risk of a session without signals. */
export function riskOf(
  { findings, length, agreement }: RiskInputs,
  coefficients: Omit<RiskCoefficients, 'levels'>,
): number {
  return sigmoid(baseLogOdds(length, agreement, coefficients) + findingLogOdds(findings, coefficients.weights));
}

/** The log-odds of a session before findings and signals. */
export function baseLogOdds(
  length: number,
  agreement: AttemptAgreement | null,
  coefficients: Pick<RiskCoefficients, 'intercept' | 'length' | 'agreement'>,
): number {
  const attempts = agreement ? centred(disagreement(agreement), coefficients.agreement) : 0;
  return coefficients.intercept + centred(lengthMeasure(length), coefficients.length) + attempts;
}

/** The word for a risk. */
export function levelOf(risk: number, { levels }: Pick<RiskCoefficients, 'levels'>): RiskLevel {
  if (risk >= levels.high) return 'high';
  return risk >= levels.elevated ? 'elevated' : 'low';
}

function centred(value: number, { weight, centre }: CentredWeight): number {
  return weight * (value - centre);
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

/** sigmoid(base + Σ terms), and each term's share of what they add to the base, in proportion to its log-odds. */
export function explainRisk(terms: readonly Pick<RiskTerm, 'logOdds'>[], logOdds: number): RiskExplanation {
  const total = terms.reduce((sum, term) => sum + term.logOdds, 0);
  const base = round(sigmoid(logOdds));
  const risk = round(sigmoid(logOdds + total));
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
export function riskOfTerm({ logOdds }: RiskTerm, base: number): number {
  const before = sigmoid(base);
  return (sigmoid(base + logOdds) - before) / (1 - before);
}
