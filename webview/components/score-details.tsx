import * as l10n from '@vscode/l10n';
import type { ReportScore } from '../../src/protocol/report-values.ts';
import { formatValue } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { scrollToHighlight } from '../scroll-to-highlight.ts';
import { Evidence } from './evidence.tsx';
import { FeedbackButtons } from './feedback.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';

/** The source of a custom metric's score. */
const CUSTOM_SOURCES = {
  rules: l10n.t('computed by a function of your configuration'),
  judge: l10n.t('judged by a rubric of your configuration'),
} as const;

const SOURCE_LABELS = {
  rules: l10n.t('computed from the trace'),
  judge: l10n.t('given by a judge'),
  embedding: l10n.t('compared by an embedder'),
  reference: l10n.t('compared with the reference'),
  aggregate: l10n.t('computed from other scores'),
  imported: l10n.t('imported from the trace'),
} as const satisfies Record<NonNullable<ReportScore['source']>, string>;

type ScoreDetailsProps = Readonly<{ score: ReportScore; turn: number | null; name: string }>;

/** The reason, evidence and source of a score. */
export function ScoreDetails({ score, turn, name }: ScoreDetailsProps) {
  const { host, showPrompt } = useActions();
  const { metric, labels, band, reason, source, judge, cap, samples, scale } = score;
  const { own, evidence, evidenceOmitted, hasPrompt, feedback } = score;
  const [first] = evidence;
  const onReveal = turn === null ? undefined : () => scrollToHighlight(turn, 'chosen');
  return (
    <div className="details">
      {band === null ? null : (
        <p>
          <b>{band.name}</b>: {band.meaning}
        </p>
      )}
      {labels.length < 2 ? null : (
        <p>
          <PlainText text={labels.join(', ')} />
        </p>
      )}
      {reason === null ? null : first ? (
        <RevealButton target={first.target} className="reason" onPress={onReveal}>
          <Sentence text={reason} />
        </RevealButton>
      ) : (
        <p className="reason">
          <Sentence text={reason} />
        </p>
      )}
      {cap === null ? null : (
        <p>
          {l10n.t(
            'Judge score {0}, limited to {1} by proven findings.',
            formatValue(cap.judged, scale),
            formatValue(cap.most, scale),
          )}
        </p>
      )}
      {samples === undefined ? null : (
        <p>
          <PlainText text={samples} />
        </p>
      )}
      {evidence.length > 1 ? <Evidence evidence={evidence} omitted={evidenceOmitted} onPress={onReveal} /> : null}
      <div className="foot">
        {source === null ? null : (
          <span className="quiet">
            {own && (source === 'rules' || source === 'judge') ? CUSTOM_SOURCES[source] : SOURCE_LABELS[source]}
            {judge === null ? '' : `: ${judge}`}
          </span>
        )}
        {hasPrompt && host.surface === 'editor' ? (
          <button type="button" className="more" onClick={() => showPrompt(turn, metric)}>
            {l10n.t('Show Prompt')}
          </button>
        ) : null}
        <FeedbackButtons turn={turn} of={{ type: 'metric', metric }} name={name} feedback={feedback} />
      </div>
    </div>
  );
}
