import type { MetricOutcome } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import { RULES } from '../../rules/index.ts';
import { notApplicable } from '../judged-metric.ts';
import { type TurnView, turnMetric } from '../metric.ts';
import { RISK_COEFFICIENTS } from '../shared/risk-coefficients.ts';
import { findingTerms, type RiskCoefficients, riskOfTerm } from '../shared/risk-model.ts';
import { signalTerms, TURN_RISK_SIGNALS } from '../shared/risk-signals.ts';

/**
 * How strong the signs are that the turn failed its user: the highest risk of its findings and signals, each by itself, so that none lowers
 * it. A finding weighs as in `session_risk`, without the base rate of failures.
 */
export const turnRisk = turnMetric({
  name: 'turn_risk',
  question: 'How strong are the signs that this turn failed its user?',
  source: 'Turnwise',
  scale: 'unit',
  threshold: null,
  lowerIsBetter: true,
  needs: [],
  uses: TURN_RISK_SIGNALS,

  evaluate(view): MetricOutcome {
    const coefficients = view.risk ?? RISK_COEFFICIENTS;
    const ofFindings = view.findings.flatMap((finding) => findingTerms([finding], coefficients));
    const ofSignals = signalTerms((signal) => [view.result(signal)], view.embedder);
    const terms = [...ofFindings, ...ofSignals]
      .map((term) => ({ ...term, risk: round(riskOfTerm(term, coefficients.intercept)) }))
      .sort((a, b) => b.risk - a.risk);
    const [highest] = terms;
    if (!highest) return outcomeWithoutTerms(view);
    return {
      status: 'scored',
      score: highest.risk,
      source: ofSignals.length === 0 ? 'rules' : 'aggregate',
      reason: highest.risk > 0 || ofSignals.length === 0 ? highest.because : NOTHING_WRONG,
      evidence: terms.filter(({ risk }) => risk > 0).flatMap(({ evidence }) => evidence),
      metadata: {
        terms: terms.map(({ from, risk, because, calibrated }) => ({ ...from, risk, because, calibrated })),
        calibrated: true,
        fittedOn: coefficients.fittedOn,
      },
    };
  },
});

const NOTHING_WRONG = 'Neither the rules nor the scores indicate a problem.';

/** The outcome without findings and signals: a score of 0 only if rules ran. */
function outcomeWithoutTerms({ turn, ruleIds, risk }: TurnView): MetricOutcome {
  if (turn.captured === false) return NOT_RECORDED;
  if (ruleIds.length === 0) return RULES_OFF;
  return ruleIds.length === RULES.length && !risk ? NOTHING_FOUND : nothingFound(ruleIds.length, risk);
}

const NOT_RECORDED = notApplicable('This turn was not recorded, so its risk is unknown.');

const RULES_OFF: MetricOutcome = Object.freeze({
  status: 'needs_judge',
  reason: 'The rules are switched off and no signal is scored, so the risk is unknown.',
});

function nothingFound(rules: number, { fittedOn }: RiskCoefficients = RISK_COEFFICIENTS): MetricOutcome {
  return Object.freeze({
    status: 'scored',
    score: 0,
    source: 'rules',
    reason: `Nothing found by ${rules} ${rules === 1 ? 'rule' : 'rules'}; not judged by a model.`,
    metadata: Object.freeze({
      terms: Object.freeze([]),
      calibrated: true,
      fittedOn,
    }),
  });
}

const NOTHING_FOUND = nothingFound(RULES.length);
