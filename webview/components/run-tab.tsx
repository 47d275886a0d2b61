import type { ReactNode } from 'react';
import type { ReportGate, ReportHeader } from '../../src/protocol/report.ts';
import { formatCost, formatCount, formatDuration, VERDICTS } from '../format.ts';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';
import { UnscoredMetrics } from './unscored-metrics.tsx';

/** What the verdict stands on: gates, how much was scored, and what that took. */
export function RunTab({ header }: Readonly<{ header: ReportHeader }>) {
  const { gates, coverage, unscored, run } = header;
  return (
    <div className="run">
      <section aria-label="Gates">
        <h2>Gates</h2>
        {gates.length === 0 ? <p>None is set: the scores decide nothing.</p> : null}
        <ul>
          {gates.map((gate) => (
            <GateItem key={`${gate.scope} ${gate.metric}`} gate={gate} />
          ))}
        </ul>
      </section>
      <section aria-label="Coverage">
        <h2>Coverage</h2>
        <p>
          {coverage.scored.toLocaleString('en')} of {formatCount(coverage.of, 'result')} scored.
        </p>
        <UnscoredMetrics groups={unscored} of="session" />
      </section>
      <section aria-label="This run">
        <h2>This run</h2>
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
  const written = (value: ReportGate['threshold']): string => (typeof value === 'number' ? value.toFixed(2) : value);
  const word = met === null ? 'undecided' : met ? 'met' : 'not met';
  return [
    word,
    actual === null ? `set to ${written(threshold)}` : `${written(actual)}, set to ${written(threshold)}`,
    ...(scope === 'session' ? [] : [`of the ${scope}`]),
  ].join(' · ');
}

function Facts({ header: { judges, run, format, file, state, changed } }: Readonly<{ header: ReportHeader }>) {
  const { startedAt, durationMs, complete, judgeCalls, judgeCallsCached, promptTokens, completionTokens, cost } = run;
  return (
    <dl className="run-facts">
      <Fact name="judge">{judges.length === 0 ? 'none: the rules alone' : judges.join(', ')}</Fact>
      {judges.length === 0 && judgeCalls === 0 ? null : (
        <>
          <Fact name="calls">
            {judgeCalls.toLocaleString('en')}
            {judgeCallsCached === 0 ? '' : `, ${judgeCallsCached.toLocaleString('en')} answered before`}
          </Fact>
          <Fact name="tokens">
            {promptTokens.toLocaleString('en')} sent, {completionTokens.toLocaleString('en')} received
          </Fact>
          <Fact name="money">{cost === null ? 'no price is configured' : formatCost(cost, 4)}</Fact>
        </>
      )}
      {startedAt === null ? null : <Fact name="started">{new Date(startedAt).toLocaleString()}</Fact>}
      {durationMs === null ? null : <Fact name="took">{formatDuration(durationMs)}</Fact>}
      <Fact name="complete">{complete ? 'yes' : 'no: it was stopped'}</Fact>
      <Fact name="file">
        <PlainText text={file.name} />
        {state === 'gone' ? ', which is gone' : changed === 'file' ? ', which has changed since' : ''}
      </Fact>
      <Fact name="format">{format}</Fact>
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
