import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';
import { RISK_COEFFICIENTS } from '../shared/risk-coefficients.ts';
import { baseLogOdds, conversationLength, explainRisk, findingTerms, type RiskTerm } from '../shared/risk-model.ts';
import { goalTerms, SESSION_RISK_SIGNALS, signalTerms } from '../shared/risk-signals.ts';

/**
 * How likely the session failed its user: sigmoid(intercept + Σ weight x count weight), over the rules with findings and
 * the scores and failures of judges, with `risk-coefficients.ts`. No weight is negative, so no finding lowers it.
 */
export const sessionRisk = sessionMetric({
  name: 'session_risk',
  question: 'How likely is it that this session failed its user?',
  source: 'Turnwise',
  scale: 'unit',
  threshold: null,
  lowerIsBetter: true,
  needs: [],
  uses: ['turn_risk', ...SESSION_RISK_SIGNALS],

  evaluate(view): MetricOutcome {
    const results = view.turnResults('turn_risk');
    const looked = results.find((result) => result?.status === 'scored');
    if (!looked) return results.some((result) => result?.status === 'needs_judge') ? RULES_OFF : NO_RISKS;

    const ofFindings = findingTerms(view.findings, RISK_COEFFICIENTS);
    const ofSignals = [
      ...signalTerms((metric) => view.turnResults(metric), view.embedder),
      ...goalTerms(view.result('goal_completion')),
    ];
    const terms = [...ofFindings, ...ofSignals].sort((a, b) => b.logOdds - a.logOdds);
    const { base, risk, adds } = explainRisk(
      terms,
      baseLogOdds(conversationLength(view.session), null, RISK_COEFFICIENTS),
    );
    return {
      status: 'scored',
      score: risk,
      source: ofSignals.length === 0 ? 'rules' : 'aggregate',
      reason: describeHeaviest(terms) ?? `${terms.length > 0 ? NO_FAILURE : looked.reason} ${describeBase(base)}`,
      evidence: terms.filter(({ logOdds }) => logOdds > 0).flatMap(({ evidence }) => evidence),
      metadata: {
        base,
        terms: terms.map(({ from, because, calibrated }, i) => ({ ...from, adds: adds[i] ?? 0, because, calibrated })),
        turns: view.session.turns.length,
        calibrated: true,
        fittedOn: RISK_COEFFICIENTS.fittedOn,
      },
    };
  },
});

/** The heaviest term, or a note if there are only observations; null without weights. */
function describeHeaviest(terms: readonly RiskTerm[]): string | null {
  const heaviest = terms.find(({ logOdds }) => logOdds > 0);
  if (!heaviest) return null;
  const isQuiet = terms.every(({ observed }) => observed);
  return `${isQuiet ? 'No problem was found. The heaviest observation: ' : ''}${heaviest.because}`;
}

const NO_FAILURE = 'The findings do not indicate failure.';

/** Explains a risk without findings: agents also fail in ways that rules cannot prove. */
function describeBase(base: number): string {
  return `Of labelled sessions of this kind, ${Math.round(base * 100)} in 100 still failed.`;
}

const NO_RISKS = notApplicable('No turn of this session has a risk.');

const RULES_OFF: MetricOutcome = Object.freeze({
  status: 'needs_judge',
  reason: 'The rules are switched off and no signal is scored, so the risk is unknown.',
});
