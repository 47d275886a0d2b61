import * as l10n from '@vscode/l10n';
import type {
  JsonTarget,
  ReportEvidence,
  ReportObservation,
  ReportSuppression,
} from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useChoosing } from '../hooks/use-choosing.ts';
import { scrollToHighlight } from '../scroll-to-highlight.ts';
import { FeedbackButtons } from './feedback.tsx';
import { RevealButton } from './reveal.tsx';
import { RuleName } from './rule-name.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';

type ObservationListProps = Readonly<{
  turn: number;
  observations: readonly ReportObservation[];
  suppressed: readonly ReportSuppression[];
  chosen: string | null;
}>;

/** Observations of a turn that are not problems, and suppressed findings. */
export function ObservationList({ turn, observations, suppressed, chosen }: ObservationListProps) {
  if (observations.length + suppressed.length === 0) return null;
  return (
    <ul className="findings" aria-label={l10n.t('Observations')}>
      {observations.map(({ rule, title, reason, target, evidence, feedback }, index) => {
        const id = `turn-${turn + 1}-observation-${index + 1}`;
        return (
          <ObservationItem key={id} {...{ id, turn, title, reason, target, evidence }} isChosen={chosen === id}>
            <RuleName rule={rule} />
            <FeedbackButtons turn={turn} of={{ type: 'rule', rule }} name={`"${title}"`} feedback={feedback} />
          </ObservationItem>
        );
      })}
      {suppressed.map(({ finding, reason, target, evidence }, index) => {
        const id = `turn-${turn + 1}-accepted-${index + 1}`;
        return (
          <ObservationItem
            key={id}
            {...{ id, turn, reason: finding, target, evidence }}
            title={l10n.t('suppressed:')}
            isChosen={chosen === id}
          >
            <span className="quiet">
              <Sentence text={reason} />
            </span>
          </ObservationItem>
        );
      })}
    </ul>
  );
}

type ObservationItemProps = Readonly<{
  id: string;
  turn: number;
  title: string;
  reason: string;
  target: JsonTarget;
  evidence: readonly ReportEvidence[];
  isChosen: boolean;
  children: React.ReactNode;
}>;

function ObservationItem({ id, turn, title, reason, target, evidence, isChosen, children }: ObservationItemProps) {
  const { choose } = useActions();
  const choosing = useChoosing(() => choose(turn, id, evidence));
  return (
    <li className={isChosen ? 'finding chosen' : 'finding'} {...choosing}>
      <ShapeIcon shape="dot" tone="quiet" />
      <div>
        <div className="head">
          <span className="quiet">{title}</span>
          {children}
        </div>
        <RevealButton target={target} className="reason" id={id} onPress={() => scrollToHighlight(turn, 'chosen')}>
          <Sentence text={reason} />
        </RevealButton>
      </div>
    </li>
  );
}
