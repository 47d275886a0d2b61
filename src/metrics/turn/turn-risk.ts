import type { Finding } from '../../core/finding.ts';
import type { Evidence, Outcome } from '../../core/result.ts';
import { clamp, round } from '../../core/scale.ts';
import type { Level } from '../../core/severity.ts';
import { RULES } from '../../rules/index.ts';
import { notApplicable } from '../judged.ts';
import { type TurnView, turnMetric } from '../metric.ts';
import { DEFAULT_WEIGHTS, SIGNALS } from '../session/signals.ts';

/** How much a finding says, until labelled data gives each rule a figure of its own. */
const FINDING_RISK: Readonly<Record<Level, number>> = { info: 0, low: 0.15, medium: 0.4, high: 0.7, critical: 0.95 };

/** One reason for risk: a finding or a signal. */
interface Term {
  readonly risk: number;
  /** A sentence. */
  readonly because: string;
  readonly evidence: readonly Evidence[];
  readonly from: { readonly finding: string; readonly severity: Level } | { readonly signal: string };
}

/** How likely the turn failed its user: the highest of what its findings and its signals say, so none lowers it. */
export const turnRisk = turnMetric({
  name: 'turn_risk',
  question: 'How likely did this turn fail its user?',
  source: 'Turnwise',
  scale: 'unit',
  threshold: null,
  lowerIsBetter: true,
  needs: [],
  uses: SIGNALS,

  evaluate(view): Outcome {
    const terms = [...view.findings.map(termOfFinding), ...termsOfSignals(view)].sort((a, b) => b.risk - a.risk);
    const [highest] = terms;
    if (!highest) return withoutTerms(view);
    return {
      status: 'scored',
      score: highest.risk,
      source: terms.every(({ from }) => 'finding' in from) ? 'rules' : 'aggregate',
      reason: `${highest.because} This ranks turns; it is not calibrated as a probability.`,
      evidence: terms.filter(({ risk }) => risk > 0).flatMap(({ evidence }) => evidence),
      metadata: {
        terms: terms.map(({ from, risk, because }) => ({ ...from, risk: round(risk), because })),
        calibrated: false,
      },
    };
  },
});

function termOfFinding({ rule, severity, message, evidence }: Finding): Term {
  return { risk: FINDING_RISK[severity], because: message, evidence, from: { finding: rule, severity } };
}

/** The signals of agent_reliability with its weights, as far as they are scored. */
function termsOfSignals(view: TurnView): Term[] {
  return SIGNALS.flatMap((signal) => {
    const result = view.result(signal);
    if (result?.status !== 'scored' || result.score === null) return [];
    // Word overlap is no sign of coherence.
    if (signal === 'coherence' && result.source === 'embedding' && view.embedder?.provider === 'lexical') return [];
    const weight = DEFAULT_WEIGHTS[signal];
    const risk = clamp(weight * (1 - result.score), 0, 1);
    const because = `${signal} is ${round(result.score, 2)}${weight === 1 ? '' : `, weighted ${weight}`}.`;
    return { risk, because, evidence: result.evidence, from: { signal } };
  });
}

/** Nothing speaks: that is no praise, and where nobody could look it is no figure either. */
function withoutTerms({ turn, rulesLooked = RULES.length }: TurnView): Outcome {
  if (turn.captured === false) return NOT_RECORDED;
  if (rulesLooked === 0) return NOBODY_LOOKED;
  return rulesLooked === RULES.length ? NOTHING_FOUND : nothingFound(rulesLooked);
}

const NOT_RECORDED = notApplicable('What happened in this turn was not recorded, so nothing could be found in it.');

const NOBODY_LOOKED: Outcome = Object.freeze({
  status: 'needs_judge',
  reason: 'The rules are switched off and no signal is scored, so nothing is known of the risk.',
});

function nothingFound(rules: number): Outcome {
  return Object.freeze({
    status: 'scored',
    score: 0,
    source: 'rules',
    reason: `Nothing found by ${rules} ${rules === 1 ? 'rule' : 'rules'}; not judged by a model.`,
    metadata: Object.freeze({ terms: Object.freeze([]), calibrated: false }),
  });
}

const NOTHING_FOUND = nothingFound(RULES.length);
