import * as l10n from '@vscode/l10n';
import { getArray, getNumber, getString } from '../../../core/json.ts';
import { type ExplainMetric, formatFigure, term } from './term.ts';

/** `session_trend`: where the agent stalled, and where it regressed. */
export const explainTrend: ExplainMetric = (metadata) => {
  const alerts = getArray(metadata, 'alerts');
  const scored = getNumber(metadata, 'turns_scored');
  if (!alerts || scored === undefined) return null;
  const missing = getNumber(metadata, 'turns_missing') ?? 0;
  return {
    sentences: [scoredText(scored, missing), alertText(alerts.length)],
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
          unit: l10n.t('task score'),
          sentence: isStalled
            ? l10n.t('Turn {0}: no gain for several turns; the best score is {1}.', turn + 1, formatFigure(best))
            : l10n.t('Turn {0}: {1} after {2}.', turn + 1, formatFigure(score), formatFigure(best)),
          turns: [turn],
        }),
      ];
    }),
  };
};

function scoredText(scored: number, missing: number): string {
  const all = scored === 1 ? l10n.t('1 turn has a task score.') : l10n.t('{0} turns have a task score.', scored);
  if (missing === 0) return all;
  const skipped = missing === 1 ? l10n.t('1 turn has none.') : l10n.t('{0} turns have none.', missing);
  return `${all} ${skipped}`;
}

function alertText(count: number): string {
  if (count === 0) return l10n.t('The agent never stalled or regressed.');
  return count === 1 ? l10n.t('It stalled or regressed once.') : l10n.t('It stalled or regressed {0} times.', count);
}
