import * as l10n from '@vscode/l10n';
import type { Label } from '../../src/core/judge-labels.ts';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { FoldedText } from './part-text.tsx';
import type { LabelledResult } from './use-labelling.ts';

/** Lines of the judge's reason that are shown initially. */
const REASON_LINES = 6;

/** What a person said of a result, and then what the judge had said. */
export function LabelledAnswer({ given: { result, label, judged } }: Readonly<{ given: LabelledResult }>) {
  const { verdict, score, threshold, reason } = judged;
  const agrees = verdict === label;
  return (
    <div className="labelled-answer" role="status">
      <p className="item">
        <ShapeIcon shape={agrees ? 'tick' : 'unequal'} tone={agrees ? 'good' : 'doubtful'} />
        <span>
          <b>{agrees ? l10n.t('You agree') : l10n.t('You disagree')}</b>{' '}
          {l10n.t('You: {0}. Judge: {1}', LABEL_WORDS[label], LABEL_WORDS[verdict])}
          {score === null ? null : (
            <span className="quiet">
              {' '}
              {threshold === null
                ? l10n.t('(score {0})', score)
                : l10n.t('(score {0}, threshold {1})', score, threshold)}
            </span>
          )}
        </span>
      </p>
      {reason === null || reason === '' ? null : (
        <div className="reason">
          <FoldedText
            id={`${result.id} reason`}
            excerpt={{ text: reason, omitted: 0 }}
            className=""
            lines={REASON_LINES}
          />
        </div>
      )}
    </div>
  );
}

export const LABEL_WORDS = { pass: l10n.t('pass'), fail: l10n.t('fail') } as const satisfies Record<Label, string>;
