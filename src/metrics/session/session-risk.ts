import { getArray, getNumber, isObject } from '../../core/json.ts';
import type { MetricOutcome } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import type { Session } from '../../core/session.ts';
import { describeShare } from '../attempts/attempt-agreement.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';
import { RISK_COEFFICIENTS } from '../shared/risk-coefficients.ts';
import {
  baseLogOdds,
  conversationLength,
  explainRisk,
  findingTerms,
  levelOf,
  type RiskCoefficients,
  type RiskTerm,
} from '../shared/risk-model.ts';
import { goalTerms, SESSION_RISK_SIGNALS, signalTerms } from '../shared/risk-signals.ts';

/**
 * How strong the signs are that the session failed its user, as a rank: sigmoid(base + Σ weight x count weight), over the rules with findings
 * and the scores and failures of judges. The base is that of a conversation of its length. No weight is negative, so no
 * finding lowers the risk. Other attempts of the task that made the same changes lower it, and others raise it.
 */
export const sessionRisk = sessionMetric({
  name: 'session_risk',
  question: 'How strong are the signs that this session failed its user?',
  source: 'Turnwise',
  scale: 'unit',
  threshold: null,
  lowerIsBetter: true,
  needs: [],
  uses: ['turn_risk', ...SESSION_RISK_SIGNALS],

  evaluate(view): MetricOutcome {
    const results = view.turnResults('turn_risk');
    const looked = results.find((result) => result?.status === 'scored');
    // A run that ended before its first turn has no turn with a risk, but may have a finding.
    if (!looked && view.findings.length === 0) {
      return results.some((result) => result?.status === 'needs_judge') ? RULES_OFF : NO_RISKS;
    }

    const coefficients = view.risk ?? RISK_COEFFICIENTS;
    const ofFindings = findingTerms(view.findings, coefficients);
    const ofSignals = [
      ...signalTerms((metric) => view.turnResults(metric), view.embedder),
      ...goalTerms(view.result('goal_completion')),
    ];
    const terms = [...ofFindings, ...ofSignals].sort((a, b) => b.logOdds - a.logOdds);
    const isSilent = ofSignals.length === 0 && terms.every(({ logOdds }) => logOdds === 0);
    if (isSilent && !canBeChecked(view.session)) return NOTHING_TO_CHECK;

    const length = conversationLength(view.session);
    const { base, risk, adds } = explainRisk(terms, baseLogOdds(length, null, coefficients));
    return {
      status: 'scored',
      score: risk,
      source: ofSignals.length === 0 ? 'rules' : 'aggregate',
      reason:
        describeHeaviest(terms) ??
        `${terms.length > 0 ? NO_FAILURE : looked?.reason} ${describeBase(base, length, coefficients)}`,
      evidence: terms.filter(({ logOdds }) => logOdds > 0).flatMap(({ evidence }) => evidence),
      metadata: {
        level: levelOf(risk, coefficients),
        isProbability: coefficients.isProbability,
        base,
        length,
        terms: terms.map(({ from, logOdds, because, calibrated }, i) => ({
          ...from,
          adds: adds[i] ?? 0,
          logOdds: round(logOdds),
          because,
          calibrated,
        })),
        turns: view.session.turns.length,
        calibrated: true,
        fittedOn: coefficients.fittedOn,
      },
    };
  },

  compare({ agreement, comparison, unknownCalls, risk: own, result }): MetricOutcome | null {
    const { others, share, anyChanges } = agreement;
    const alone = result('session_risk');
    const length = getNumber(alone?.metadata, 'length');
    const terms = getArray(alone?.metadata, 'terms');
    if (alone?.status !== 'scored' || length === undefined || !terms || share === null) return null;
    // That none is known to have changed anything is no agreement.
    if (!anyChanges && unknownCalls > 0) return null;

    const coefficients = own ?? RISK_COEFFICIENTS;
    const attempts = { others, share };
    const weights = terms.map((term) => ({ logOdds: getNumber(term, 'logOdds') ?? 0 }));
    const { base, risk, adds } = explainRisk(weights, baseLogOdds(length, attempts, coefficients));
    const same = describeShare(agreement, comparison);
    return {
      status: 'scored',
      score: risk,
      source: 'aggregate',
      reason: [alone.reason ?? '', same].filter((text) => text !== '').join(' '),
      evidence: alone.evidence,
      metadata: {
        ...alone.metadata,
        level: levelOf(risk, coefficients),
        base,
        terms: terms.map((term, i) => ({ ...(isObject(term) ? term : {}), adds: adds[i] ?? 0 })),
        attempts: { ...attempts, riskAlone: alone.score },
      },
    };
  },
});

/** Whether rules can prove something: the agent did more than answer, or the user says more than once what to do. */
function canBeChecked({ turns }: Session): boolean {
  const actsBesideAnswers = turns.some(({ steps }) => steps.some(({ type }) => type !== 'model'));
  return actsBesideAnswers || turns.filter(({ input }) => input !== null).length > 1;
}

/** The heaviest term, or a note if there are only observations; null without weights. */
function describeHeaviest(terms: readonly RiskTerm[]): string | null {
  const heaviest = terms.find(({ logOdds }) => logOdds > 0);
  if (!heaviest) return null;
  const isQuiet = terms.every(({ observed }) => observed);
  return `${isQuiet ? 'No problem was found. The heaviest observation: ' : ''}${heaviest.because}`;
}

const NO_FAILURE = 'The findings do not indicate failure.';

/** Explains a risk without findings: agents also fail in ways that rules cannot prove. */
function describeBase(base: number, length: number, { isProbability }: RiskCoefficients): string {
  return isProbability
    ? `Of labelled sessions of this kind and length, ${Math.round(base * 100)} in 100 still failed.`
    : `Ranked by the length of the conversation alone: ${length} characters.`;
}

const NOTHING_TO_CHECK = notApplicable(
  'The session has no tool call and one message of the user, and nothing was found: its risk is unknown.',
);

const NO_RISKS = notApplicable('No turn of this session has a risk.');

const RULES_OFF: MetricOutcome = Object.freeze({
  status: 'needs_judge',
  reason: 'The rules are switched off and no signal is scored, so the risk is unknown.',
});
