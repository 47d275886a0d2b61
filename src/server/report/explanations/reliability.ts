import { get, getArray, getNumber } from '../../../core/json.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { ExplanationTerm } from '../../../protocol/report.ts';
import { type ExplainMetric, formatFigure, term, turnMetadata, turnsByKey, weightedRisks } from './term.ts';

/** `agent_reliability`: the worst turns, and which of them have a high risk by themselves. */
export const explainReliability: ExplainMetric = (metadata, model) => {
  const aggregation = get(metadata, 'aggregation');
  const share = getNumber(aggregation, 'top_k_percentile');
  const mean = getNumber(aggregation, 'mean_top_k_risk');
  const most = getNumber(aggregation, 'max_risk');
  const weight = getNumber(aggregation, 'ensemble_weight');
  if (share === undefined || mean === undefined || most === undefined || weight === undefined) return null;

  const keys = turnsByKey(model);
  const flagged = new Set((getArray(metadata, 'flagged_traces') ?? []).map((key) => keys.get(String(key))));
  const risks = turnMetadata(metadata, model)
    .flatMap(({ turn, metadata: noted }) => {
      const risk = getNumber(noted, 'step_risk');
      return risk === undefined ? [] : [{ turn, risk, parts: weightedRisks(noted, metadata) }];
    })
    .sort((a, b) => b.risk - a.risk);
  const counting = Math.max(1, Math.ceil(risks.length * share));
  return {
    sentences: [
      'The risk of a turn is the highest of its signals’ weighted risks.',
      `The worst ${Math.round(share * 100)}% of ${pluralize(risks.length, 'turn')} count, here ${counting}: their mean is ${formatFigure(mean)}, the highest ${formatFigure(most)}.`,
      `The score is 1 − (${formatFigure(1 - weight)} × ${formatFigure(mean)} + ${formatFigure(weight)} × ${formatFigure(most)}).`,
      flagged.size === 0
        ? 'No turn has a risk above 0.50.'
        : `${pluralize(flagged.size, 'turn')} ${flagged.size === 1 ? 'has' : 'have'} a risk above 0.50.`,
    ],
    terms: risks.map(({ turn, risk, parts }, place) => {
      const marks: ExplanationTerm['marks'][number][] = [];
      if (place < counting) marks.push('counted');
      if (flagged.has(turn)) marks.push('flagged');
      const worst = parts[0]?.name;
      return term({
        of: 'turn',
        name: `turn ${turn + 1}`,
        amount: risk,
        unit: 'risk of the turn',
        sentence: `Turn ${turn + 1} has a risk of ${formatFigure(risk)}${worst === undefined || risk === 0 ? '' : `, by ${worst}`}.`,
        parts,
        turns: [turn],
        marks,
      });
    }),
  };
};
