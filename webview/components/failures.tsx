import type { OpinionOf } from '../../src/protocol/panel.ts';
import type { Failure } from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useInSight } from '../hooks/use-in-sight.ts';
import { seeMarked } from '../see-marked.ts';
import { failureId } from '../turn-id.ts';
import { counted, TONE_OF_SEVERITY } from '../words.ts';
import { Evidence } from './evidence.tsx';
import { Mark } from './mark.tsx';
import { Opinion } from './opinion.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';

type FailuresProps = Readonly<{ failures: readonly Failure[]; omitted: number; chosen: string | null }>;

/** What went wrong in a turn, why, and where that can be seen. */
export function Failures({ failures, omitted, chosen }: FailuresProps) {
  if (failures.length === 0) return null;
  return (
    <ul className="findings" aria-label="Failures">
      {failures.map((failure, index) => {
        const id = failureId(failure.turn, index);
        return <ShownFailure key={id} failure={failure} id={id} isChosen={chosen === id} />;
      })}
      {omitted > 0 ? <li className="quiet">and {counted(omitted, 'more failure')}</li> : null}
    </ul>
  );
}

type ShownFailureProps = Readonly<{ failure: Failure; id: string; isChosen: boolean }>;

function ShownFailure({ failure, id, isChosen }: ShownFailureProps) {
  const { choose, openRule, showPrompt } = useActions();
  const element = useInSight<HTMLLIElement>(isChosen);
  const { turn, label, severity, reason, rule, metric, isAsked, target, evidence, evidenceOmitted, opinion } = failure;
  return (
    <li ref={element} className={isChosen ? 'finding chosen' : 'finding'} onFocus={() => choose(turn, id, evidence)}>
      <Mark shape="cross" tone={TONE_OF_SEVERITY[severity]} />
      <div>
        <div className="head">
          <b>
            <PlainText text={label} />
          </b>
          <span className="quiet">{severity}</span>
          {rule === null ? null : (
            <button type="button" className="link" title={`About the rule ${rule}`} onClick={() => openRule(rule)}>
              rule
            </button>
          )}
          <Opinion turn={turn} of={opinionOf(failure)} name={`"${label}"`} given={opinion} />
        </div>
        <RevealButton target={target} className="reason" id={id} onPress={() => seeMarked(turn, 'chosen')}>
          <Sentence text={reason} />
        </RevealButton>
        {evidence.length > 1 ? (
          <Evidence evidence={evidence} omitted={evidenceOmitted} onPress={() => seeMarked(turn, 'chosen')} />
        ) : null}
        {isAsked && metric !== null ? (
          <p className="foot">
            <span className="quiet">named by a judge: {metric}</span>
            <button type="button" className="more" onClick={() => showPrompt(turn, metric)}>
              Show prompt
            </button>
          </p>
        ) : null}
      </div>
    </li>
  );
}

function opinionOf({ rule, label }: Failure): OpinionOf {
  return rule === null ? { type: 'label', label } : { type: 'rule', rule };
}
