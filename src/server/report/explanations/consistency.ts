import * as l10n from '@vscode/l10n';
import { getNumber } from '../../../core/json.ts';
import { type ExplainMetric, formatFigure, term, turnMetadata, weightedRisks } from './term.ts';

/** `agent_consistency`: how uncertain each turn was, and which other signals increased that. */
export const explainConsistency: ExplainMetric = (metadata, model) => {
  const instability = getNumber(metadata, 'raw_instability');
  if (instability === undefined) return null;
  const turns = turnMetadata(metadata, model)
    .flatMap(({ turn, metadata: noted }) => {
      const uncertainty = getNumber(noted, 'weighted_uncertainty');
      const penalty = getNumber(noted, 'situational_penalty');
      if (uncertainty === undefined || penalty === undefined) return [];
      const parts = weightedRisks(noted, metadata);
      const own = parts.find(({ name }) => name === 'confidence')?.amount ?? 0;
      return [{ turn, uncertainty, penalty, own, parts: parts.filter(({ name }) => name !== 'confidence') }];
    })
    .sort((a, b) => b.uncertainty - a.uncertainty);
  return {
    sentences: [
      l10n.t('The uncertainty of a turn is 1 − confidence, plus a penalty for each other low signal.'),
      l10n.t('The score is 1 − the root mean square of the uncertainties ({0}).', formatFigure(instability)),
    ],
    terms: turns.map(({ turn, uncertainty, penalty, own, parts }) =>
      term({
        of: 'turn',
        name: `turn ${turn + 1}`,
        amount: uncertainty,
        unit: l10n.t('uncertainty of the turn'),
        sentence:
          penalty === 0
            ? l10n.t('Turn {0}: {1} from confidence.', turn + 1, formatFigure(own))
            : l10n.t(
                'Turn {0}: {1} from confidence, plus a penalty of {2}.',
                turn + 1,
                formatFigure(own),
                formatFigure(penalty),
              ),
        parts: parts.filter(({ amount }) => amount > 0),
        turns: [turn],
      }),
    ),
  };
};
