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
      'A turn’s uncertainty is what confidence lacks, raised by a penalty for each other signal that is low.',
      `The score is 1 − the root mean square of the uncertainties, which is ${formatFigure(instability)}.`,
    ],
    terms: turns.map(({ turn, uncertainty, penalty, own, parts }) =>
      term({
        of: 'turn',
        name: `turn ${turn + 1}`,
        amount: uncertainty,
        unit: 'uncertainty of the turn',
        sentence: `Turn ${turn + 1}: ${formatFigure(own)} by confidence${penalty === 0 ? '' : `, raised by a penalty of ${formatFigure(penalty)}`}.`,
        parts: parts.filter(({ amount }) => amount > 0),
        turns: [turn],
      }),
    ),
  };
};
