import * as l10n from '@vscode/l10n';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { formatCount, SEVERITY_TONES } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { Sentence } from './sentence.tsx';
import { ShapeIcon, type ShapeStyle } from './shape-icon.tsx';

/**
 * The worst problems with their turns; of a session that failed without one, the expected calls that were not made. It has the height of three lines, whatever it lists: results move nothing.
 *
 * @param onProblems opens the problems and expected calls.
 */
export function WorstProblems({ header, onProblems }: Readonly<{ header: ReportHeader; onProblems: () => void }>) {
  const { goTo } = useActions();
  const { worst, run, turnsDone, missedCalls = [] } = header;
  if (worst.length === 0 && header.headline.kind === 'failed' && missedCalls.length > 0) {
    return (
      <ul className="worst" aria-label={l10n.t('Expected calls')}>
        {missedCalls.map((sentence, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two calls may be the same.
          <Line key={at} where="" tone="bad" text={sentence} onShow={onProblems} />
        ))}
      </ul>
    );
  }
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
        <Line
          key={`${turn} ${position}`}
          where={l10n.t('Turn {0}', turn + 1)}
          tone={SEVERITY_TONES[severity]}
          text={title}
          label={l10n.t('Show problem {0} of turn {1}', position + 1, turn + 1)}
          onShow={() => goTo(turn, position)}
        />
      ))}
    </ul>
  );
}

type LineProps = Readonly<{
  where: string;
  tone: ShapeStyle['tone'];
  text: string;
  label?: string;
  onShow: () => void;
}>;

/** @param label of the button, where "Show" does not say what. */
function Line({ where, tone, text, label, onShow }: LineProps) {
  return (
    <li>
      <span className="quiet where">{where}</span>
      <ShapeIcon shape="cross" tone={tone} />
      <span className="one-line" title={text}>
        <Sentence text={text} />
      </span>
      <button type="button" className="more" aria-label={label} onClick={onShow}>
        {l10n.t('Show')}
      </button>
    </li>
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
