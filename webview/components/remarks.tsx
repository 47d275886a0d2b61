import type { Evidence as Cited, Observation, Suppressed, Target } from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';
import { seeMarked } from '../see-marked.ts';
import { Mark } from './mark.tsx';
import { Opinion } from './opinion.tsx';
import { RevealButton } from './reveal.tsx';
import { Sentence } from './sentence.tsx';

type RemarksProps = Readonly<{
  turn: number;
  observations: readonly Observation[];
  suppressed: readonly Suppressed[];
  chosen: string | null;
}>;

/** What is worth knowing of a turn and no failure, and what a person has accepted. */
export function Remarks({ turn, observations, suppressed, chosen }: RemarksProps) {
  const { openRule } = useActions();
  if (observations.length + suppressed.length === 0) return null;
  return (
    <ul className="findings" aria-label="Observations">
      {observations.map(({ rule, title, reason, target, evidence, opinion }, index) => {
        const id = `turn-${turn + 1}-observation-${index + 1}`;
        return (
          <Remark key={id} {...{ id, turn, title, reason, target, evidence }} isChosen={chosen === id}>
            <button type="button" className="link" title={`About the rule ${rule}`} onClick={() => openRule(rule)}>
              rule
            </button>
            <Opinion turn={turn} of={{ type: 'rule', rule }} name={`"${title}"`} given={opinion} />
          </Remark>
        );
      })}
      {suppressed.map(({ finding, reason, target, evidence }, index) => {
        const id = `turn-${turn + 1}-accepted-${index + 1}`;
        return (
          <Remark
            key={id}
            {...{ id, turn, reason: finding, target, evidence }}
            title="suppressed:"
            isChosen={chosen === id}
          >
            <span className="quiet">
              <Sentence text={reason} />
            </span>
          </Remark>
        );
      })}
    </ul>
  );
}

type RemarkProps = Readonly<{
  id: string;
  turn: number;
  title: string;
  reason: string;
  target: Target;
  evidence: readonly Cited[];
  isChosen: boolean;
  children: React.ReactNode;
}>;

function Remark({ id, turn, title, reason, target, evidence, isChosen, children }: RemarkProps) {
  const { choose } = useActions();
  return (
    <li className={isChosen ? 'finding chosen' : 'finding'} onFocus={() => choose(turn, id, evidence)}>
      <Mark shape="dot" tone="quiet" />
      <div>
        <div className="head">
          <span className="quiet">{title}</span>
          {children}
        </div>
        <RevealButton target={target} className="reason" id={id} onPress={() => seeMarked(turn, 'chosen')}>
          <Sentence text={reason} />
        </RevealButton>
      </div>
    </li>
  );
}
