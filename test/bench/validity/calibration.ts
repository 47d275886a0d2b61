import type { Finding } from '../../../src/core/finding.ts';
import type { FindingLevel } from '../../../src/core/severity.ts';
import {
  countWeight,
  findingTerms,
  PRIOR_WEIGHTS,
  type RiskCoefficients,
} from '../../../src/metrics/shared/risk-model.ts';
import { RULES } from '../../../src/rules/index.ts';
import { fitLogistic } from './logistic.ts';

/** What a fit needs to know of a session. */
export interface Outcome {
  readonly findings: readonly Finding[];
  readonly failed: boolean;
}

/** In fewer labelled sessions than this, what a rule finds says nothing yet: it keeps the weight of its severity. */
export const FEWEST_SESSIONS = 5;

/**
 * How far a fitted weight may well be from that of its severity: the standard deviation of the prior, in log-odds. By
 * one of them the odds change 1.6-fold.
 */
export const PRIOR_SD = 0.5;

/**
 * Fits the intercept, and a weight for each rule that speaks in enough of the sessions, towards the weight of its
 * severity. The findings of the other rules count by their severities.
 */
export function calibrate(sessions: readonly Outcome[], fittedOn: string, sd = PRIOR_SD): RiskCoefficients {
  const counts = sessions.map(({ findings }) => countsOf(findings));
  const rules = RULES.filter(({ id }) => counts.filter((count) => count.has(id)).length >= FEWEST_SESSIONS);
  const ids = new Set(rules.map(({ id }) => id));
  const examples = sessions.map(({ findings, failed }, i) => ({
    features: rules.map(({ id }) => countWeight(counts[i]?.get(id) ?? 0)),
    offset: logOddsOf(findings.filter(({ rule }) => !ids.has(rule))),
    failed,
  }));
  const { intercept, weights } = fitLogistic(
    examples,
    rules.map((rule) => priorOf(rule)),
    sd,
  );
  return {
    fittedOn,
    intercept: places(intercept),
    weights: Object.fromEntries(rules.map(({ id }, i) => [id, places(weights[i] ?? 0)])),
  };
}

function priorOf({ severity }: { readonly severity: FindingLevel }): number {
  return PRIOR_WEIGHTS[severity];
}

function logOddsOf(findings: readonly Finding[]): number {
  const terms = findingTerms(findings, { fittedOn: '', intercept: 0, weights: {} });
  return terms.reduce((sum, { logOdds }) => sum + logOdds, 0);
}

function countsOf(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return counts;
}

/** Rounded as it is written down: what is measured is what ships. */
function places(value: number): number {
  return Math.round(value * 1000) / 1000;
}
