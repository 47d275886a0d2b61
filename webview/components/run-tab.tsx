import * as l10n from '@vscode/l10n';
import { Fragment, type ReactNode, useMemo } from 'react';
import { type ReportHeader, type ReportRunDetails, sessionRun } from '../../src/protocol/report.ts';
import { formatCost, formatCount, formatDuration, VERDICTS } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { GateItem } from './gate-item.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon, type ShapeStyle } from './shape-icon.tsx';
import { UnscoredMetrics } from './unscored-metrics.tsx';

/** What decided, what was evaluated, with what, and at what cost. @param isShown whether the tab is open. */
export function RunTab({ header, isShown }: Readonly<{ header: ReportHeader; isShown: boolean }>) {
  const { gates, coverage, unscored, run, revision } = header;
  const { host, session } = useActions();
  const params = useMemo(() => ({ session }), [session]);
  const answer = useRequest(host, sessionRun, params, revision, isShown);
  const details = answer.type === 'here' ? answer.value.run : null;
  return (
    <div className="run">
      <section aria-label={l10n.t('Gates')}>
        <h2>{l10n.t('Gates')}</h2>
        {gates.length === 0 ? <p>{l10n.t('No gates. Scores do not affect the verdict.')}</p> : null}
        <ul>
          {gates.map((gate) => (
            <GateItem key={`${gate.scope} ${gate.metric}`} gate={gate} />
          ))}
        </ul>
      </section>
      <section aria-label={l10n.t('Coverage')}>
        <h2>{l10n.t('Coverage')}</h2>
        <p>{l10n.t('{0} of {1} scored.', coverage.scored.toLocaleString('en'), formatCount(coverage.of, 'result'))}</p>
        <UnscoredMetrics groups={unscored} of="session" />
      </section>
      <section aria-label={l10n.t('This run')}>
        <h2>{l10n.t('This Run')}</h2>
        {run.undecided?.map((sentence) => (
          <p key={sentence} className="item">
            <ShapeIcon {...VERDICTS.undecided} />
            <span>
              <Sentence text={sentence} />
            </span>
          </p>
        ))}
        <Facts header={header} details={details} />
        {answer.type === 'failed' ? <p role="alert">{answer.message}</p> : null}
      </section>
      {details === null ? null : <Outcome outcome={details.outcome} />}
      {details?.tools ? <Tools tools={details.tools} omitted={details.toolsOmitted} /> : null}
      {details === null || details.warnings.length === 0 ? null : (
        <Warnings warnings={details.warnings} omitted={details.warningsOmitted} />
      )}
    </div>
  );
}

const OUTCOMES = {
  succeeded: { shape: 'tick', tone: 'good', label: l10n.t('Succeeded') },
  failed: { shape: 'cross', tone: 'bad', label: l10n.t('Failed') },
  unknown: { shape: 'question', tone: 'quiet', label: l10n.t('Unknown') },
} as const satisfies Record<ReportHeader['outcome'], ShapeStyle & { label: string }>;

const OUTCOME_SOURCES = {
  recorded: l10n.t('recorded in the trace'),
  user: l10n.t('by the user'),
  expected: l10n.t('by what was expected'),
  judge: l10n.t('by the judge'),
} as const satisfies Record<NonNullable<ReportRunDetails['outcome']['source']>, string>;

/** Whether the agent did its job, what says so, and what says otherwise. */
function Outcome({ outcome: { status, source, reason, disagrees } }: Readonly<Pick<ReportRunDetails, 'outcome'>>) {
  const { label, ...style } = OUTCOMES[status];
  return (
    <section aria-label={l10n.t('Outcome')}>
      <h2>{l10n.t('Outcome')}</h2>
      <div className="item">
        <ShapeIcon {...style} />
        <div>
          <p>
            <b>{label}</b> {source === null ? null : <span className="quiet">{OUTCOME_SOURCES[source]}</span>}
          </p>
          <p className="reason">
            <Sentence text={reason} />
          </p>
          {disagrees.length === 0 ? null : (
            <p className="doubtful">
              {l10n.t('Otherwise: {0}', disagrees.map((other) => OUTCOME_SOURCES[other]).join(', '))}
            </p>
          )}
        </div>
      </div>
    </section>
  );
}

/** The tools that the agent had, as far as the trace says. */
function Tools({ tools, omitted }: Readonly<{ tools: readonly string[]; omitted: number }>) {
  return (
    <section aria-label={l10n.t('Available tools')}>
      <h2>{l10n.t('Available Tools')}</h2>
      <ul className="available-tools">
        {tools.map((name) => (
          <li key={name}>
            <code>
              <PlainText text={name} />
            </code>
          </li>
        ))}
        {omitted > 0 ? <li className="quiet">{l10n.t('and {0} more', omitted)}</li> : null}
      </ul>
    </section>
  );
}

type WarningsProps = Readonly<{ warnings: ReportRunDetails['warnings']; omitted: number }>;

/** What was reported about the files of the session. */
function Warnings({ warnings, omitted }: WarningsProps) {
  return (
    <section aria-label={l10n.t('Warnings')}>
      <h2>{l10n.t('Warnings')}</h2>
      <ul>
        {warnings.map(({ severity, message, line }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: warnings are identified by their order.
          <li key={index} className="item">
            <ShapeIcon shape="warning" tone={severity === 'error' ? 'bad' : 'doubtful'} />
            <p className="reason">
              <Sentence text={message} /> <span className="quiet">{l10n.t('line {0}', line)}</span>
            </p>
          </li>
        ))}
        {omitted > 0 ? <li className="quiet">{l10n.t('and {0} more', omitted)}</li> : null}
      </ul>
    </section>
  );
}

function Files({ files }: Readonly<{ files: ReportRunDetails['configurations'] }>) {
  return files.map(({ name, target }, index) => (
    <Fragment key={target.uri}>
      {index === 0 ? null : ', '}
      <RevealButton target={target} className="link">
        <PlainText text={name} />
      </RevealButton>
    </Fragment>
  ));
}

type FactsProps = Readonly<{ header: ReportHeader; details: ReportRunDetails | null }>;

function Facts({ header: { judges, run, format, file, state, changed }, details }: FactsProps) {
  const { startedAt, durationMs, complete, judgeCalls, judgeCallsCached, promptTokens, completionTokens, cost } = run;
  return (
    <dl className="run-facts">
      <Fact name={l10n.t('judge')}>{judges.length === 0 ? l10n.t('none (rules only)') : judges.join(', ')}</Fact>
      {judges.length === 0 && judgeCalls === 0 ? null : (
        <>
          <Fact name={l10n.t('calls')}>
            {judgeCalls.toLocaleString('en')}
            {judgeCallsCached === 0 ? '' : l10n.t(', {0} cached', judgeCallsCached.toLocaleString('en'))}
          </Fact>
          <Fact name={l10n.t('tokens')}>
            {l10n.t('{0} sent, {1} received', promptTokens.toLocaleString('en'), completionTokens.toLocaleString('en'))}
          </Fact>
          <Fact name={l10n.t('cost')}>{cost === null ? l10n.t('no price configured') : formatCost(cost, 4)}</Fact>
        </>
      )}
      {startedAt === null ? null : <Fact name={l10n.t('started')}>{new Date(startedAt).toLocaleString()}</Fact>}
      {durationMs === null ? null : <Fact name={l10n.t('duration')}>{formatDuration(durationMs)}</Fact>}
      <Fact name={l10n.t('complete')}>{complete ? l10n.t('yes') : l10n.t('no (stopped)')}</Fact>
      <Fact name={l10n.t('file')}>
        <PlainText text={file.name} />
        {state === 'gone' ? l10n.t(' (deleted)') : changed === 'file' ? l10n.t(' (changed)') : ''}
      </Fact>
      <Fact name={l10n.t('format')}>{format}</Fact>
      {details === null ? null : (
        <>
          <Fact name={l10n.t('configuration')}>
            {details.configurations.length === 0 ? l10n.t('none (defaults)') : <Files files={details.configurations} />}
          </Fact>
          {details.companions.length === 0 ? null : (
            <Fact name={l10n.t('read beside it')}>
              <Files files={details.companions} />
            </Fact>
          )}
          {details.embedder === null ? null : <Fact name={l10n.t('embedder')}>{details.embedder}</Fact>}
          {judges.length === 0 ? null : (
            <Fact name={l10n.t('questions per call')}>{details.questionsPerCall.toLocaleString('en')}</Fact>
          )}
          {judges.length === 0 || details.turnsPerCall === 1 ? null : (
            <Fact name={l10n.t('turns per call')}>{details.turnsPerCall.toLocaleString('en')}</Fact>
          )}
          {details.agentVersion === null ? null : (
            <Fact name={l10n.t('agent version')}>
              <PlainText text={details.agentVersion} />
            </Fact>
          )}
        </>
      )}
    </dl>
  );
}

function Fact({ name, children }: Readonly<{ name: string; children: ReactNode }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
