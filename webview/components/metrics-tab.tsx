import * as l10n from '@vscode/l10n';
import { Fragment, useMemo } from 'react';
import { type Explanation, type ExplanationTerm, explanations } from '../../src/protocol/report.ts';
import { formatCount, formatScore, formatValue } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { Bar } from './bar.tsx';
import { FeedbackButtons } from './feedback.tsx';
import { Quadrant } from './quadrant.tsx';
import { Scores } from './scores.tsx';
import { Sentence } from './sentence.tsx';

/** The session's metrics and how they were computed. @param isShown whether the tab is open. */
export function MetricsTab({ revision, isShown }: Readonly<{ revision: number; isShown: boolean }>) {
  const { host, session } = useActions();
  const params = useMemo(() => ({ session }), [session]);
  const answer = useRequest(host, explanations, params, revision, isShown);
  if (answer.type === 'waiting') return <p className="quiet">{l10n.t('Loading metrics…')}</p>;
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  const { metrics, quadrant, means } = answer.value;
  return (
    <div className="metrics">
      {quadrant === null ? null : <Quadrant {...quadrant} />}
      {metrics.map((metric) => (
        <MetricExplanation key={metric.metric} explanation={metric} />
      ))}
      {means.length === 0 ? null : (
        <section className="explained" aria-label={l10n.t('Turn averages')}>
          <h2>{l10n.t('Turn Averages')}</h2>
          <Scores scores={means} turn={null} />
        </section>
      )}
      {metrics.length + means.length === 0 ? <p>{l10n.t('No metric has a score.')}</p> : null}
    </div>
  );
}

/** The number of terms shown initially. */
const INITIAL_TERMS = 8;

function MetricExplanation({ explanation }: Readonly<{ explanation: Explanation }>) {
  const { metric, question, score, sentences, terms, termsOmitted } = explanation;
  const { showPrompt } = useActions();
  const [isOpen, setOpen] = useOpen(`terms of ${metric}`, false);
  const most = terms.reduce((max, { amount }) => Math.max(max, Math.abs(amount ?? 0)), 0);
  return (
    <section className="explained" aria-label={metric}>
      <div className="facts">
        <h2 className="metric">{metric}</h2>
        {score === null ? <span className="quiet">{l10n.t('no score')}</span> : <MetricValue score={score} />}
        {score?.hasPrompt ? (
          <button type="button" className="more" onClick={() => showPrompt(null, metric)}>
            {l10n.t('Show Prompt')}
          </button>
        ) : null}
        {score === null ? null : (
          <FeedbackButtons turn={null} of={{ type: 'metric', metric }} name={metric} feedback={score.feedback} />
        )}
      </div>
      {question === null ? null : <p className="quiet">{question}</p>}
      {sentences.map((sentence) => (
        <p key={sentence}>
          <Sentence text={sentence} />
        </p>
      ))}
      {terms.length === 0 ? null : (
        <ul className="terms" aria-label={l10n.t('Terms of {0}', metric)}>
          {terms.slice(0, isOpen ? terms.length : INITIAL_TERMS).map((term, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: terms are identified by their order.
            <TermItem key={index} term={term} most={most} />
          ))}
        </ul>
      )}
      {terms.length > INITIAL_TERMS ? (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? l10n.t('Show Less') : l10n.t('Show {0}', formatCount(terms.length - INITIAL_TERMS, 'more term'))}
        </button>
      ) : null}
      {termsOmitted > 0 ? <p className="quiet">{l10n.t('and {0}', formatCount(termsOmitted, 'more term'))}</p> : null}
    </section>
  );
}

function MetricValue({ score }: Readonly<{ score: NonNullable<Explanation['score']> }>) {
  const { value, scale, threshold, passed, band, status } = score;
  const max = scale?.[1] ?? null;
  const isVacuous = status === 'vacuous';
  return (
    <>
      <b>{isVacuous ? `(${formatScore(score)})` : formatScore(score)}</b>
      {scale && max !== null && typeof value === 'number' ? (
        <Bar
          value={value}
          range={[scale[0], max]}
          threshold={threshold}
          tone={isVacuous ? 'hollow' : passed === false ? 'bad' : 'quiet'}
        />
      ) : null}
      {threshold === null ? null : (
        <span className={passed === false ? 'bad' : 'quiet'}>
          {passed === false
            ? l10n.t('misses {0}', formatValue(threshold, scale))
            : l10n.t('threshold {0}', formatValue(threshold, scale))}
        </span>
      )}
      {band === null ? null : (
        <span className="quiet" title={band.meaning}>
          {band.name}
        </span>
      )}
      {isVacuous ? <span className="quiet">{l10n.t('nothing to judge')}</span> : null}
    </>
  );
}

const MARKS = { counted: l10n.t('counts'), flagged: l10n.t('flagged') } as const satisfies Record<
  ExplanationTerm['marks'][number],
  string
>;

function TermItem({ term, most }: Readonly<{ term: ExplanationTerm; most: number }>) {
  const { goTo, openRule } = useActions();
  const { of, name, amount, unit, sentence, parts, turns, turnsOmitted, marks } = term;
  return (
    <li className="term">
      <span className="number" title={unit ?? undefined}>
        {amount === null ? '' : amount.toFixed(2)}
      </span>
      {amount === null || most === 0 ? (
        <span />
      ) : (
        <Bar value={Math.abs(amount)} range={[0, most]} threshold={null} tone="quiet" />
      )}
      <div>
        <p>
          {of === 'rule' ? (
            <button
              type="button"
              className="link"
              title={l10n.t('Open documentation of rule {0}', name)}
              onClick={() => openRule(name)}
            >
              {name}
            </button>
          ) : of === 'turn' || sentence.startsWith(name) ? null : (
            <span className="metric">{name}</span>
          )}{' '}
          <Sentence text={sentence} />{' '}
          {turns.map((turn) => (
            <Fragment key={turn}>
              <button type="button" className="link" onClick={() => goTo(turn)}>
                {l10n.t('→ turn {0}', turn + 1)}
              </button>{' '}
            </Fragment>
          ))}
          {turnsOmitted > 0 ? (
            <span className="quiet">{l10n.t('and {0}', formatCount(turnsOmitted, 'more turn'))} </span>
          ) : null}
          {marks.map((mark) => (
            <span key={mark} className={`tag ${mark}`}>
              {MARKS[mark]}
            </span>
          ))}
        </p>
        {parts.length < 2 ? null : (
          <p className="quiet">{parts.map((part) => `${part.name} ${part.amount.toFixed(2)}`).join(' · ')}</p>
        )}
      </div>
    </li>
  );
}
