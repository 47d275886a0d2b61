import * as l10n from '@vscode/l10n';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { formatCount, HEADLINE_STYLES, RISK_LABELS } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { PlainText } from './rich-text.tsx';
import { ShapeIcon, type ShapeStyle } from './shape-icon.tsx';

/** What the session is, in one line that stays at the top. During an evaluation: what is known so far. */
export function Headline({ header, children }: Readonly<{ header: ReportHeader; children?: React.ReactNode }>) {
  const { headline, turnsDone, problems } = header;
  const isRunning = turnsDone !== null;
  const text = !isRunning
    ? headline.text
    : problems === 0
      ? l10n.t('Evaluating…')
      : l10n.t('Evaluating: {0} so far', formatCount(problems, 'problem'));
  const style: ShapeStyle = isRunning ? { shape: 'circle', tone: 'quiet' } : HEADLINE_STYLES[headline.kind];
  return (
    <section className="headline" aria-label={l10n.t('Headline')}>
      <p className={`item says ${style.tone}`} title={revealHiddenCharacters(text)}>
        <ShapeIcon {...style} />
        <b>
          <PlainText text={text} />
        </b>
      </p>
      {children}
    </section>
  );
}

/** `Turn 2 of 3 · 4 problems · risk High · judge: task completion 0.85, lowest 0.20 in turn 2` */
export function HeadlineFacts({ header, onProblems }: Readonly<{ header: ReportHeader; onProblems: () => void }>) {
  const { headline, contradiction, strip, problems, worst, risk, riskLevel, riskReason, judgedTasks } = header;
  const turns = strip.turns.toLocaleString('en');
  const figure = risk === null ? [] : [l10n.t('Risk {0}', risk.toFixed(2))];
  return (
    <p className="quiet headline-facts">
      {contradiction === undefined ? null : (
        <>
          <span className="doubtful">
            <PlainText text={contradiction} />
          </span>
          {' · '}
        </>
      )}
      <span>
        {headline.turn === null
          ? formatCount(strip.turns, 'turn')
          : l10n.t('Turn {0} of {1}', (headline.turn + 1).toLocaleString('en'), turns)}
      </span>
      {' · '}
      {problems > worst.length ? (
        <button type="button" className="more" title={l10n.t('Show all problems')} onClick={onProblems}>
          {formatCount(problems, 'problem')}
        </button>
      ) : (
        <span>{formatCount(problems, 'problem')}</span>
      )}
      {' · '}
      <span title={[...figure, ...(riskReason === null ? [] : [riskReason])].join('\n')}>
        {riskLevel === null ? l10n.t('risk –') : l10n.t('risk {0}', RISK_LABELS[riskLevel])}
      </span>
      {judgedTasks === null ? null : (
        <>
          {' · '}
          <span title={l10n.t('task_completion of {0}, 0 to 1', formatCount(judgedTasks.turns, 'turn'))}>
            {tasksText(judgedTasks)}
          </span>
        </>
      )}
    </p>
  );
}

function tasksText({ mean, lowest, turn, turns }: NonNullable<ReportHeader['judgedTasks']>): string {
  if (turns === 1) return l10n.t('judge: task completion {0}', mean.toFixed(2));
  return l10n.t('judge: task completion {0}, lowest {1} in turn {2}', mean.toFixed(2), lowest.toFixed(2), turn + 1);
}
