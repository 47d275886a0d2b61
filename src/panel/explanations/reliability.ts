import * as l10n from '@vscode/l10n';
import type { ExplanationTerm } from '../../protocol/report.ts';
import type { ReliabilityBreakdown } from '../../report-model/breakdowns/reliability.ts';
import { type ExplanationText, formatFigure, term } from './term.ts';

export function explainReliability(breakdown: ReliabilityBreakdown): ExplanationText {
  const { share, counting, mean, highest, weight, flagged, turns } = breakdown;
  return {
    sentences: [
      l10n.t('The risk of a turn is the highest weighted risk of its signals.'),
      l10n.t(
        'The worst {0}% of the turns count ({1} of {2}): mean risk {3}, highest {4}.',
        Math.round(share * 100),
        counting,
        turns.length,
        formatFigure(mean),
        formatFigure(highest),
      ),
      l10n.t(
        'The score is 1 − ({0} × {1} + {2} × {3}).',
        formatFigure(1 - weight),
        formatFigure(mean),
        formatFigure(weight),
        formatFigure(highest),
      ),
      flaggedText(flagged),
    ],
    terms: turns.map(({ turn, risk, parts, isCounted, isFlagged }) => {
      const marks: ExplanationTerm['marks'][number][] = [];
      if (isCounted) marks.push('counted');
      if (isFlagged) marks.push('flagged');
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
}

function flaggedText(count: number): string {
  if (count === 0) return l10n.t('No turn has a risk above 0.50.');
  return count === 1 ? l10n.t('1 turn has a risk above 0.50.') : l10n.t('{0} turns have a risk above 0.50.', count);
}
