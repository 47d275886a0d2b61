import * as l10n from '@vscode/l10n';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { formatCount, SEVERITY_TONES } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';

/** The worst problems with their turns. It has the height of three lines, whatever it lists: results move nothing. */
export function WorstProblems({ header }: Readonly<{ header: ReportHeader }>) {
  const { goTo } = useActions();
  const { worst, run, turnsDone } = header;
  if (worst.length === 0) {
    return (
      <div className="worst">
        {turnsDone === null && !run.complete ? (
          <p role="status">{l10n.t('The evaluation was stopped. Partial results are shown.')}</p>
        ) : null}
        {turnsDone === null
          ? withoutProblems(header).map((sentence) => (
              <p key={sentence} className="quiet">
                <Sentence text={sentence} />
              </p>
            ))
          : null}
      </div>
    );
  }
  return (
    <ul className="worst" aria-label={l10n.t('Worst problems')}>
      {worst.map(({ title, turn, position, severity }) => (
        <li key={`${turn} ${position}`}>
          <span className="quiet where">{l10n.t('Turn {0}', turn + 1)}</span>
          <ShapeIcon shape="cross" tone={SEVERITY_TONES[severity]} />
          <span className="one-line" title={title}>
            <Sentence text={title} />
          </span>
          <button
            type="button"
            className="more"
            aria-label={l10n.t('Show problem {0} of turn {1}', position + 1, turn + 1)}
            onClick={() => goTo(turn, position)}
          >
            {l10n.t('Show')}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What is known of a session without problems, in two sentences at most. */
function withoutProblems({ headline, unscored, run }: ReportHeader): readonly string[] {
  const judged = unscored.find(({ status }) => status === 'needs_judge');
  return [
    ...(headline.kind === 'undecided' ? (run.undecided ?? []).slice(0, 1) : []),
    ...(headline.kind === 'clean'
      ? [l10n.t('The rules found nothing that counts against the agent, and nothing says whether it did its job.')]
      : []),
    ...(judged ? [l10n.t('Not checked without a judge: {0}.', formatCount(judged.metrics, 'metric'))] : []),
  ];
}
