import { getArray, getNumber, getString } from '../../../core/json.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { type ExplainMetric, formatFigure, term } from './term.ts';

/** `session_trend`: where the agent stalled, and where it regressed. */
export const explainTrend: ExplainMetric = (metadata) => {
  const alerts = getArray(metadata, 'alerts');
  const scored = getNumber(metadata, 'turns_scored');
  if (!alerts || scored === undefined) return null;
  const missing = getNumber(metadata, 'turns_missing') ?? 0;
  return {
    sentences: [
      `${pluralize(scored, 'turn')} ${scored === 1 ? 'has' : 'have'} a task score${missing === 0 ? '' : `; ${missing} ${missing === 1 ? 'has' : 'have'} none and ${missing === 1 ? 'is' : 'are'} skipped`}.`,
      alerts.length === 0 ? 'It never stalled and never fell back.' : `${pluralize(alerts.length, 'point')} stand out.`,
    ],
    terms: alerts.flatMap((alert) => {
      const turn = getNumber(alert, 'turn');
      const [score, best] = [getNumber(alert, 'score'), getNumber(alert, 'best')];
      if (turn === undefined || score === undefined || best === undefined) return [];
      const isStalled = getString(alert, 'kind') === 'stalled';
      return [
        term({
          of: 'trend',
          name: isStalled ? 'stalled' : 'regressed',
          amount: score,
          unit: 'task score',
          sentence: isStalled
            ? `Turn ${turn + 1}: no gain for some turns, and the best is only ${formatFigure(best)}.`
            : `Turn ${turn + 1}: ${formatFigure(score)} after ${formatFigure(best)}.`,
          turns: [turn],
        }),
      ];
    }),
  };
};
