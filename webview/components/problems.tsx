import * as l10n from '@vscode/l10n';
import type { FeedbackTarget } from '../../src/protocol/panel.ts';
import type { ReportProblem } from '../../src/protocol/report-values.ts';
import { problemId } from '../element-ids.ts';
import { formatCount, SEVERITY_LABELS, SEVERITY_TONES } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useChoosing } from '../hooks/use-choosing.ts';
import { useKeepVisible } from '../hooks/use-keep-visible.ts';
import { scrollToHighlight } from '../scroll-to-highlight.ts';
import { Evidence } from './evidence.tsx';
import { FeedbackButtons } from './feedback.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { RuleName } from './rule-name.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';

type ProblemListProps = Readonly<{ problems: readonly ReportProblem[]; omitted: number; chosen: string | null }>;

/** The problems of a turn, with reasons and evidence. */
export function ProblemList({ problems, omitted, chosen }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul className="findings" aria-label={l10n.t('Problems')}>
      {problems.map((failure, index) => {
        const id = problemId(failure.turn, index);
        return <ProblemItem key={id} failure={failure} id={id} isChosen={chosen === id} />;
      })}
      {omitted > 0 ? <li className="quiet">{l10n.t('and {0}', formatCount(omitted, 'more problem'))}</li> : null}
    </ul>
  );
}

type ProblemItemProps = Readonly<{ failure: ReportProblem; id: string; isChosen: boolean }>;

function ProblemItem({ failure, id, isChosen }: ProblemItemProps) {
  const { host, choose, editFinding, showPrompt } = useActions();
  const isEditor = host.surface === 'editor';
  const element = useKeepVisible<HTMLLIElement>(isChosen);
  const { turn, title, label, severity, reason, rule, metric, hasPrompt, target, evidence, evidenceOmitted, feedback } =
    failure;
  const choosing = useChoosing(() => choose(turn, id, evidence));
  return (
    <li ref={element} className={isChosen ? 'finding chosen' : 'finding'} {...choosing}>
      <ShapeIcon shape="cross" tone={SEVERITY_TONES[severity]} />
      <div>
        <b>
          <PlainText text={title} />
        </b>
        <div className="head">
          <span className="quiet">{SEVERITY_LABELS[severity]}</span>
          {title.toLowerCase().includes(label.toLowerCase()) ? null : (
            <span className="quiet">
              <PlainText text={label} />
            </span>
          )}
          {rule === null ? null : <RuleName rule={rule} />}
          {rule === null || !isEditor ? null : (
            <>
              <button
                type="button"
                className="link"
                aria-label={l10n.t('Suppress {0}', rule)}
                onClick={() => editFinding('suppress', target.uri, turn, rule)}
              >
                {l10n.t('Suppress…')}
              </button>
              <button
                type="button"
                className="link"
                aria-label={l10n.t('Set severity of {0}', rule)}
                onClick={() => editFinding('severity', target.uri, turn, rule)}
              >
                {l10n.t('Severity…')}
              </button>
            </>
          )}
          <FeedbackButtons turn={turn} of={problemFeedbackTarget(failure)} name={`"${title}"`} feedback={feedback} />
        </div>
        <RevealButton target={target} className="reason" id={id} onPress={() => scrollToHighlight(turn, 'chosen')}>
          <Sentence text={reason} />
        </RevealButton>
        <Evidence evidence={evidence} omitted={evidenceOmitted} onPress={() => scrollToHighlight(turn, 'chosen')} />
        {hasPrompt && metric !== null ? (
          <p className="foot">
            <span className="quiet">{l10n.t('found by a judge: {0}', metric)}</span>
            {isEditor ? (
              <button type="button" className="more" onClick={() => showPrompt(turn, metric)}>
                {l10n.t('Show Prompt')}
              </button>
            ) : null}
          </p>
        ) : null}
      </div>
    </li>
  );
}

function problemFeedbackTarget({ rule, label }: ReportProblem): FeedbackTarget {
  return rule === null ? { type: 'label', label } : { type: 'rule', rule };
}
