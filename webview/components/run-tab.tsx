import * as l10n from '@vscode/l10n';
import type { ReactNode } from 'react';
import type { ReportGate, ReportHeader } from '../../src/protocol/report.ts';
import { formatCost, formatCount, formatDuration, VERDICTS } from '../format.ts';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';
import { UnscoredMetrics } from './unscored-metrics.tsx';

/** The gates, the coverage and the cost of the run. */
export function RunTab({ header }: Readonly<{ header: ReportHeader }>) {
  const { gates, coverage, unscored, run } = header;
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
        <Facts header={header} />
      </section>
    </div>
  );
}

function GateItem({ gate }: Readonly<{ gate: ReportGate }>) {
  return (
    <li className="item">
      <ShapeIcon {...VERDICTS[gate.met === null ? 'undecided' : gate.met ? 'passed' : 'failed']} />
      <div>
        <p>
          <b>{gate.metric}</b> <span className="quiet">{gateDetails(gate)}</span>
        </p>
        <p className="reason">
          <Sentence text={gate.reason} />
        </p>
      </div>
    </li>
  );
}

function gateDetails({ threshold, actual, met, scope }: ReportGate): string {
  const format = (value: ReportGate['threshold']): string => (typeof value === 'number' ? value.toFixed(2) : value);
  const label = met === null ? l10n.t('undecided') : met ? l10n.t('met') : l10n.t('not met');
  return [
    label,
    actual === null
      ? l10n.t('limit {0}', format(threshold))
      : l10n.t('{0}, limit {1}', format(actual), format(threshold)),
    ...(scope === 'session' ? [] : [scope === 'run' ? l10n.t('of the run') : l10n.t('of the task')]),
  ].join(' · ');
}

function Facts({ header: { judges, run, format, file, state, changed } }: Readonly<{ header: ReportHeader }>) {
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
