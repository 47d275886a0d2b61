import * as l10n from '@vscode/l10n';
import { trimEnd } from '../../core/text/trim-end.ts';
import type { RiskBreakdown } from '../../report-model/breakdowns/risk.ts';
import { type ExplanationText, formatFigure, term } from './term.ts';

export function explainRisk(breakdown: RiskBreakdown): ExplanationText {
  const { isProbability, attempts, fittedOn, terms, adding } = breakdown;
  return {
    sentences: [
      baseText(breakdown),
      ...(attempts === null
        ? []
        : [l10n.t('{0} of {1} other attempts of the task made the same changes.', attempts.same, attempts.others)]),
      addingText(adding),
      ...(isProbability ? [] : [l10n.t('The risk is a rank, not a probability: use it to compare sessions.')]),
      ...(fittedOn === null ? [] : [l10n.t('The weights were fitted on {0}.', trimEnd(fittedOn, /[.\s]/))]),
    ],
    terms: terms.map(({ kind, name, because, adds, isEstimate, turns }) =>
      term({
        of: kind,
        name,
        amount: adds,
        unit: l10n.t('adds to the risk'),
        // An estimate must not look like a measured figure.
        sentence: isEstimate
          ? l10n.t('{0} This weight is an estimate, not fitted on labelled data.', because)
          : because,
        turns,
      }),
    ),
  };
}

function baseText({ base, isProbability, length }: RiskBreakdown): string {
  const figure = formatFigure(base);
  if (isProbability) {
    return l10n.t(
      'The base risk is {0}: of such sessions without findings, {1} in 100 fail.',
      figure,
      Math.round(base * 100),
    );
  }
  return length === null
    ? l10n.t('The base risk is {0}, without findings.', figure)
    : l10n.t('The base risk is {0}, for {1} characters of conversation without findings.', figure, length);
}

function addingText(count: number): string {
  if (count === 0) return l10n.t('Nothing in this session raises it.');
  return count === 1 ? l10n.t('1 finding or score raises it.') : l10n.t('{0} findings and scores raise it.', count);
}
