import * as l10n from '@vscode/l10n';
import { get, getArray, getNumber, getString } from '../../../core/json.ts';
import type { ExplanationTerm } from '../../../protocol/report.ts';
import { metricResult } from '../../../report-model/metric-results.ts';
import type { SessionModel } from '../../../report-model/session-model.ts';
import { type ExplainMetric, formatFigure, term } from './term.ts';

/** `session_risk`: a base, and what each finding and each signal adds to it. */
export const explainRisk: ExplainMetric = (metadata, model) => {
  const base = getNumber(metadata, 'base');
  const terms = getArray(metadata, 'terms');
  if (base === undefined || !terms) return null;
  const fittedOn = getString(metadata, 'fittedOn');
  const adding = terms.filter((term) => (getNumber(term, 'adds') ?? 0) > 0).length;
  return {
    sentences: [
      l10n.t(
        'The base risk is {0}: of sessions of this kind without findings, {1} in 100 fail.',
        formatFigure(base),
        Math.round(base * 100),
      ),
      addingText(adding),
      ...(fittedOn === undefined ? [] : [l10n.t('The weights were fitted on {0}.', fittedOn.replace(/[.\s]*$/, ''))]),
    ],
    terms: terms.flatMap((term) => riskTerm(term, model) ?? []),
  };
};

function riskTerm(noted: unknown, model: SessionModel): ExplanationTerm | null {
  const because = getString(noted, 'because') ?? '';
  const amount = getNumber(noted, 'adds') ?? 0;
  const common = { amount, unit: l10n.t('adds to the risk') };
  // An estimate must not look like a measured figure.
  const sentence =
    get(noted, 'calibrated') === false
      ? l10n.t('{0} This weight is an estimate, not fitted on labelled data.', because)
      : because;
  const rule = getString(noted, 'rule');
  if (rule !== undefined)
    return term({ ...common, of: 'rule', name: rule, sentence, turns: turnsWithRule(rule, model) });
  const signal = getString(noted, 'signal');
  if (signal === undefined) return null;
  const turns = turnsWithSignal(signal, getNumber(noted, 'score'), model);
  return term({ ...common, of: 'signal', name: signal, sentence, turns });
}

function turnsWithRule(rule: string, { findingsByTurn }: SessionModel): number[] {
  const { failures, observations } = findingsByTurn();
  const turns = new Set<number>();
  for (const [turn, findings] of failures) if (findings.some((finding) => finding.rule === rule)) turns.add(turn);
  for (const [turn, findings] of observations) if (findings.some((finding) => finding.rule === rule)) turns.add(turn);
  return [...turns].sort((a, b) => a - b);
}

/** The turns in which the score is as low as the term says. */
function turnsWithSignal(signal: string, score: number | undefined, { report }: SessionModel): number[] {
  if (score === undefined) return [];
  return report.turns.flatMap(({ index, metrics }) => {
    const signalScore = metricResult(metrics, signal)?.score ?? null;
    return signalScore !== null && Math.abs(signalScore - score) < 1e-4 ? [index] : [];
  });
}

function addingText(count: number): string {
  if (count === 0) return l10n.t('Nothing in this session adds to it.');
  return count === 1 ? l10n.t('1 term adds to it.') : l10n.t('{0} terms add to it.', count);
}
