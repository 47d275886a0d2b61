import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'react';
import {
  problemGroups as groupsRequest,
  groupOccurrences as occurrencesRequest,
  type ReportProblemGroup,
  sessionCalls,
} from '../../src/protocol/report.ts';
import type { ReportProblem } from '../../src/protocol/report-values.ts';
import { formatCount, SEVERITY_TONES } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { messageOf } from '../hooks/use-report.ts';
import { useRequest } from '../hooks/use-request.ts';
import { ExpectedCalls } from './expected-calls.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';

type ProblemsTabProps = Readonly<{ revision: number; isShown: boolean; hasMissedCalls: boolean }>;

/** The session's problems and expected calls. @param isShown whether the tab is open. */
export function ProblemsTab({ hasMissedCalls, ...props }: ProblemsTabProps) {
  return (
    <>
      <SessionCalls {...props} />
      <ProblemGroups {...props} hasMissedCalls={hasMissedCalls} />
    </>
  );
}

/** The calls that are expected over the whole session; nothing where there are none. */
function SessionCalls({ revision, isShown }: Readonly<{ revision: number; isShown: boolean }>) {
  const { host, session } = useActions();
  const params = useMemo(() => ({ session }), [session]);
  const answer = useRequest(host, sessionCalls, params, revision, isShown);
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  if (answer.type === 'waiting' || answer.value.expected === null) return null;
  const { calls, omitted } = answer.value.expected;
  return (
    <ExpectedCalls
      id="expected in session"
      title={l10n.t('Expected calls of the session')}
      calls={calls}
      omitted={omitted}
      turn={null}
    />
  );
}

/** The session's problems, grouped by kind. */
function ProblemGroups({ revision, isShown, hasMissedCalls }: ProblemsTabProps) {
  const { host, session } = useActions();
  const params = useMemo(() => ({ session }), [session]);
  const answer = useRequest(host, groupsRequest, params, revision, isShown);
  if (answer.type === 'waiting') return <p className="quiet">{l10n.t('Loading problems…')}</p>;
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  const { groups, groupsOmitted } = answer.value;
  if (groups.length === 0) return hasMissedCalls ? null : <p>{l10n.t('No problems found.')}</p>;
  return (
    <div className="groups">
      {groups.map((group, position) => (
        <ProblemGroupItem
          // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same label and differ only by position.
          key={`${position} ${group.label} ${group.severity} ${group.count}`}
          group={group}
          position={position}
        />
      ))}
      {groupsOmitted > 0 ? <p className="quiet">{l10n.t('and {0}', formatCount(groupsOmitted, 'more kind'))}</p> : null}
    </div>
  );
}

/** The number of occurrences fetched at once. */
const PAGE_SIZE = 100;

/** @param position among all groups. */
function ProblemGroupItem({ group, position }: Readonly<{ group: ReportProblemGroup; position: number }>) {
  const { host, session } = useActions();
  const { label, severity, title, explanation, count, occurrences } = group;
  const [more, setMore] = useState<readonly ReportProblem[]>([]);
  const [failed, setFailed] = useState<string | null>(null);
  const rows = [...occurrences, ...more];
  const fetchMore = async (): Promise<void> => {
    try {
      const page = { session, group: position, offset: rows.length, limit: PAGE_SIZE };
      const answer = await host.request(occurrencesRequest, page);
      setMore([...more, ...answer.rows]);
    } catch (error) {
      setFailed(messageOf(error));
    }
  };
  return (
    <section className="group" aria-label={label}>
      <h2 className="item">
        <ShapeIcon shape="cross" tone={SEVERITY_TONES[severity]} />
        <span>
          <b>
            <PlainText text={label} />
          </b>{' '}
          <span className="quiet">
            {severity} · {formatCount(count, 'time')}
          </span>
        </span>
      </h2>
      <p>
        {title === label ? null : (
          <>
            <Sentence text={/[.!?…]$/.test(title) ? title : `${title}.`} />{' '}
          </>
        )}
        <Sentence text={explanation} />
      </p>
      <ul className="occurrences">
        {rows.map((failure, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a turn may have the same problem twice.
          <Occurrence key={index} failure={failure} of={group} />
        ))}
      </ul>
      {failed === null ? null : <p role="alert">{failed}</p>}
      {rows.length < count && failed === null ? (
        <button type="button" className="more" onClick={() => void fetchMore()}>
          {l10n.t('Show {0}', formatCount(Math.min(PAGE_SIZE, count - rows.length), 'more occurrence'))}
        </button>
      ) : null}
    </section>
  );
}

/** One occurrence. @param of its group, whose label and severity are not repeated. */
function Occurrence({ failure, of }: Readonly<{ failure: ReportProblem; of: ReportProblemGroup }>) {
  const { goTo } = useActions();
  const { turn, label, severity, reason, target } = failure;
  const own = [...(label === of.label ? [] : [label]), ...(severity === of.severity ? [] : [severity])];
  return (
    <li>
      <button type="button" className="link" onClick={() => goTo(turn)}>
        {l10n.t('turn {0}', turn + 1)}
      </button>
      <div>
        {own.length === 0 ? null : (
          <p className="quiet">
            <PlainText text={own.join(' · ')} />
          </p>
        )}
        <RevealButton target={target} className="reason">
          <Sentence text={reason} />
        </RevealButton>
      </div>
    </li>
  );
}
