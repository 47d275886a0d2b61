import * as l10n from '@vscode/l10n';
import type { TrendBreakdown } from '../../report-model/breakdowns/trend.ts';
import { type ExplanationText, formatFigure, term } from './term.ts';

export function explainTrend({ scored, missing, alerts, alertCount }: TrendBreakdown): ExplanationText {
  return {
    sentences: [scoredText(scored, missing), alertText(alertCount)],
    terms: alerts.map(({ kind, turn, score, best }) =>
      term({
        of: 'trend',
        name: kind,
        amount: score,
        unit: l10n.t('task score'),
        sentence:
          kind === 'stalled'
            ? l10n.t('Turn {0}: no gain for several turns; the best score is {1}.', turn + 1, formatFigure(best))
            : l10n.t('Turn {0}: {1} after {2}.', turn + 1, formatFigure(score), formatFigure(best)),
        turns: [turn],
      }),
    ),
  };
}

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
