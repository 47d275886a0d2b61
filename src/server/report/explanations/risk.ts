import { get, getArray, getNumber, getString } from '../../../core/json.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
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
  const adding = terms.filter((one) => (getNumber(one, 'adds') ?? 0) > 0).length;
  return {
    sentences: [
      `Of sessions of this kind in which nothing is found, ${Math.round(base * 100)} in 100 fail: the risk begins at ${formatFigure(base)}.`,
      adding === 0
        ? 'Nothing that was found here adds to it.'
        : `${pluralize(adding, 'thing')} that ${adding === 1 ? 'was' : 'were'} found ${adding === 1 ? 'adds' : 'add'} to it.`,
      ...(fittedOn === undefined ? [] : [`The weights were fitted on ${fittedOn.replace(/[.\s]*$/, '')}.`]),
    ],
    terms: terms.flatMap((one) => riskTerm(one, model) ?? []),
  };
};

function riskTerm(noted: unknown, model: SessionModel): ExplanationTerm | null {
  const because = getString(noted, 'because') ?? '';
  const amount = getNumber(noted, 'adds') ?? 0;
  const common = { amount, unit: 'adds to the risk' };
  // An estimate must not look like a measured figure.
  const sentence =
    get(noted, 'calibrated') === false ? `${because} By judgement: no labelled data weighs it.` : because;
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
  for (const [turn, found] of failures) if (found.some((one) => one.rule === rule)) turns.add(turn);
  for (const [turn, found] of observations) if (found.some((one) => one.rule === rule)) turns.add(turn);
  return [...turns].sort((a, b) => a - b);
}

/** The turns in which the score is as low as the term says. */
function turnsWithSignal(signal: string, score: number | undefined, { report }: SessionModel): number[] {
  if (score === undefined) return [];
  return report.turns.flatMap(({ index, metrics }) => {
    const found = metricResult(metrics, signal)?.score ?? null;
    return found !== null && Math.abs(found - score) < 1e-4 ? [index] : [];
  });
}
