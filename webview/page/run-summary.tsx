import type { ReactNode } from 'react';
import type { PageProblemGroup, PageRun } from '../../src/protocol/report-page.ts';
import { GateItem } from '../components/gate-item.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { Sentence } from '../components/sentence.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { formatCount, formatDuration, SEVERITY_LABELS, SEVERITY_TONES, VERDICTS } from '../format.ts';
import type { ShownPage } from './page-host.ts';

type RunSummaryProps = Readonly<{
  run: PageRun;
  sessions: number;
  onShow: (page: ShownPage) => void;
}>;

/** What became of a run: its verdict, what decided it, and the problems of all sessions by kind. */
export function RunSummary({ run, sessions, onShow }: RunSummaryProps) {
  const {
    verdict,
    errors,
    undecided,
    nothingNew,
    gates,
    gatesOmitted,
    alerts,
    problems,
    problemsOmitted,
    groups,
    groupsOmitted,
  } = run;
  return (
    <>
      <header className="run-title">
        <h1>
          <ShapeIcon {...VERDICTS[errors > 0 ? 'failed' : verdict]} /> {title(run)}
        </h1>
        <p className="quiet">
          {[formatCount(sessions, 'session'), ...facts(run)].map((fact, index) => (
            <span key={fact}>
              {index === 0 ? '' : ' · '}
              <PlainText text={fact} />
            </span>
          ))}
        </p>
        {nothingNew === null ? null : <p>{`${nothingNew}.`}</p>}
        {undecided.map((sentence) => (
          <p key={sentence}>
            <Sentence text={sentence} />
          </p>
        ))}
        <Transcripts run={run} sessions={sessions} />
      </header>
      <Section title={'Gates'} isShown={gates.length > 0}>
        <ul>
          {gates.map((gate, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: gates are identified by their order.
            <GateItem key={index} gate={gate} />
          ))}
        </ul>
        {gatesOmitted > 0 ? <p className="quiet">{`and ${gatesOmitted} more`}</p> : null}
      </Section>
      <Section title={'Alerts'} isShown={alerts.length > 0}>
        <ul>
          {alerts.map((text) => (
            <li key={text} className="item">
              <ShapeIcon shape="warning" tone="doubtful" />
              <p className="reason">
                <Sentence text={text} />
              </p>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={'Problems by Kind'} isShown={groups.length > 0}>
        <Groups groups={groups.slice(0, MAX_OPEN)} onShow={onShow} />
        {groups.length > MAX_OPEN ? (
          <details>
            <summary className="link">{`${groups.length - MAX_OPEN + groupsOmitted} more kinds`}</summary>
            <Groups groups={groups.slice(MAX_OPEN)} onShow={onShow} />
            {groupsOmitted > 0 ? <p className="quiet">{`and ${groupsOmitted} more`}</p> : null}
          </details>
        ) : null}
      </Section>
      <Section title={errors > 0 ? 'Errors and Warnings' : 'Warnings'} isShown={problems.length > 0}>
        <ul>
          {problems.map(({ severity, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: warnings are identified by their order.
            <li key={index} className="item">
              <ShapeIcon shape="warning" tone={severity === 'error' ? 'bad' : 'doubtful'} />
              <p className="reason">
                <Sentence text={text} />
              </p>
            </li>
          ))}
        </ul>
        {problemsOmitted > 0 ? <p className="quiet">{`and ${problemsOmitted} more`}</p> : null}
      </Section>
    </>
  );
}

const VERDICT_TITLES = {
  passed: 'Run passed',
  failed: 'Run failed',
  undecided: 'Run undecided',
} as const satisfies Record<PageRun['verdict'], string>;

/** A run that could not read something has not passed, whatever its gates say. */
function title({ verdict, errors }: PageRun): string {
  if (errors === 0) return VERDICT_TITLES[verdict];
  const withErrors = `with ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  return verdict === 'passed' ? `Run ended ${withErrors}` : `${VERDICT_TITLES[verdict]}, ${withErrors}`;
}

const INCOMPLETE = {
  stopped: 'stopped before its end',
  'parts-missing': 'parts are missing',
  'sessions-lost': 'not complete',
} as const satisfies Record<NonNullable<PageRun['incomplete']>, string>;

function facts({ startedAt, durationMs, incomplete, judge, agentVersion, version, gateCounts }: PageRun): string[] {
  const { met, unmet, undecided } = gateCounts;
  const all = met + unmet + undecided;
  return [
    ...(all === 0 ? [] : [`${met} of ${all} gates met`]),
    startedAt.slice(0, 16).replace('T', ' '),
    formatDuration(durationMs),
    judge ?? 'Rules only',
    ...(agentVersion === null ? [] : [`agent ${agentVersion}`]),
    ...(incomplete === null ? [] : [INCOMPLETE[incomplete]]),
    `Turnwise ${version}`,
  ];
}

/** Says what the report does not have, and how to get it. */
function Transcripts({ run, sessions }: Readonly<{ run: PageRun; sessions: number }>) {
  const { isRecorded, transcripts, leftOut } = run;
  return (
    <>
      {transcripts < sessions ? (
        <p className="notice-line">
          {missingTranscripts(run, sessions)}{' '}
          {isRecorded ? 'To have them:' : 'To have transcripts, evaluate without --record none:'}{' '}
          <code>{isRecorded ? 'turnwise eval … --with-transcripts' : 'turnwise eval … --report html=FILE'}</code>
        </p>
      ) : null}
      {leftOut > 0 ? (
        <p className="notice-line">
          {`${formatCount(leftOut, 'session')} without problems left out, chosen at random: the report would be larger than 40 MB. The table lists them.`}
        </p>
      ) : null}
    </>
  );
}

function missingTranscripts({ isRecorded, transcripts }: PageRun, sessions: number): string {
  if (transcripts > 0) return `${formatCount(sessions - transcripts, 'session')} without a transcript.`;
  const what = isRecorded ? 'The run was recorded without transcripts' : 'This run was not recorded';
  return `${what}: sessions show their problems and evidence only.`;
}

type SectionProps = Readonly<{ title: string; isShown: boolean; children: ReactNode }>;

function Section({ title, isShown, children }: SectionProps) {
  if (!isShown) return null;
  return (
    <section className="run-section" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Kinds of problems that are shown at once, so that the sessions are on the first screen. */
const MAX_OPEN = 3;

type GroupsProps = Readonly<{ groups: readonly PageProblemGroup[]; onShow: (page: ShownPage) => void }>;

function Groups({ groups, onShow }: GroupsProps) {
  return (
    <ul className="problem-groups">
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are identified by their order.
        <GroupItem key={index} group={group} onShow={onShow} />
      ))}
    </ul>
  );
}

type GroupItemProps = Readonly<{ group: PageProblemGroup; onShow: (page: ShownPage) => void }>;

function GroupItem({ group, onShow }: GroupItemProps) {
  const { title, explanation, severity, count, sessions, occurrences } = group;
  return (
    <li>
      <details>
        <summary>
          <ShapeIcon shape="cross" tone={SEVERITY_TONES[severity]} />{' '}
          <b>
            <PlainText text={title} />
          </b>{' '}
          <span className="quiet">
            {SEVERITY_LABELS[severity]} · {`${count} in ${formatCount(sessions, 'session')}`}
          </span>
        </summary>
        <p className="quiet">
          <Sentence text={explanation} />
        </p>
        <ul>
          {occurrences.map(({ session, turn, location, reason }) => (
            <li key={`${session} ${turn} ${location}`}>
              <button type="button" className="link" onClick={() => onShow({ session, turn })}>
                <PlainText text={session} /> · {`turn ${turn + 1}`}
              </button>{' '}
              <code>
                <PlainText text={location} />
              </code>{' '}
              <Sentence text={reason} />
            </li>
          ))}
          {count > occurrences.length ? <li className="quiet">{`and ${count - occurrences.length} more`}</li> : null}
        </ul>
      </details>
    </li>
  );
}
