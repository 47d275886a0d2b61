import * as l10n from '@vscode/l10n';
import type { ConsistencyBreakdown } from '../../report-model/breakdowns/consistency.ts';
import { type ExplanationText, formatFigure, term } from './term.ts';

export function explainConsistency({ instability, turns }: ConsistencyBreakdown): ExplanationText {
  return {
    sentences: [
      l10n.t('The uncertainty of a turn is 1 − confidence, plus a penalty for each other low signal.'),
      l10n.t('The score is 1 − the root mean square of the uncertainties ({0}).', formatFigure(instability)),
    ],
    terms: turns.map(({ turn, uncertainty, penalty, fromConfidence, parts }) =>
      term({
        of: 'turn',
        name: `turn ${turn + 1}`,
        amount: uncertainty,
        unit: l10n.t('uncertainty of the turn'),
        sentence:
          penalty === 0
            ? l10n.t('Turn {0}: {1} from confidence.', turn + 1, formatFigure(fromConfidence))
            : l10n.t(
                'Turn {0}: {1} from confidence, plus a penalty of {2}.',
                turn + 1,
                formatFigure(fromConfidence),
                formatFigure(penalty),
              ),
        parts,
        turns: [turn],
      }),
    ),
  };
}
