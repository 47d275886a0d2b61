import * as l10n from '@vscode/l10n';
import { get, getArray, getNumber } from '../../../core/json.ts';
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
      l10n.t('The risk of a turn is the highest weighted risk of its signals.'),
      l10n.t(
        'The worst {0}% of the turns count ({1} of {2}): mean risk {3}, highest {4}.',
        Math.round(share * 100),
        counting,
        risks.length,
        formatFigure(mean),
        formatFigure(most),
      ),
      l10n.t(
        'The score is 1 − ({0} × {1} + {2} × {3}).',
        formatFigure(1 - weight),
        formatFigure(mean),
        formatFigure(weight),
        formatFigure(most),
      ),
      flaggedText(flagged.size),
    ],
    terms: risks.map(({ turn, risk, parts }, rank) => {
      const marks: ExplanationTerm['marks'][number][] = [];
      if (rank < counting) marks.push('counted');
      if (flagged.has(turn)) marks.push('flagged');
      const worst = parts[0]?.name;
      return term({
        of: 'turn',
        name: `turn ${turn + 1}`,
        amount: risk,
        unit: l10n.t('risk of the turn'),
        sentence:
          worst === undefined || risk === 0
            ? l10n.t('Turn {0} has a risk of {1}.', turn + 1, formatFigure(risk))
            : l10n.t('Turn {0} has a risk of {1}, from {2}.', turn + 1, formatFigure(risk), worst),
        parts,
        turns: [turn],
        marks,
      });
    }),
  };
};

function flaggedText(count: number): string {
  if (count === 0) return l10n.t('No turn has a risk above 0.50.');
  return count === 1 ? l10n.t('1 turn has a risk above 0.50.') : l10n.t('{0} turns have a risk above 0.50.', count);
}
