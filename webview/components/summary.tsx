import * as l10n from '@vscode/l10n';
import { Fragment, useState } from 'react';
import type { ReportHeader } from '../../src/protocol/report.ts';
import {
  formatCost,
  formatCount,
  formatDuration,
  formatValue,
  SEVERITY_TONES,
  VERDICT_LABELS,
  VERDICTS,
} from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { Risk } from './bar.tsx';
import { RevealButton } from './reveal.tsx';
import { Sentence } from './sentence.tsx';
import { ShapeIcon } from './shape-icon.tsx';

/**
 * The verdict and its reasons. During and after an evaluation that was running while the report was open, the layout
 * reserves space for values that arrive later, so that nothing below moves.
 */
export function Summary({ header }: Readonly<{ header: ReportHeader }>) {
  const { verdict, risk, riskReason, problems, run, turnsDone, why } = header;
  const [wasRunning, setWasRunning] = useState(false);
  if (turnsDone !== null && !wasRunning) setWasRunning(true);
  const { shape, tone } = VERDICTS[verdict];
  // A session that passed its gates but has problems is shown as doubtful.
  const appearance = verdict === 'passed' && problems > 0 ? 'doubtful' : tone;
  const isFirst = turnsDone !== null && run.startedAt === null;
  return (
    <section className={wasRunning ? 'summary growing' : 'summary'} aria-label={l10n.t('Verdict')}>
      <p className="facts">
        {isFirst ? (
          <span className="verdict quiet">{l10n.t('evaluating')}</span>
        ) : (
          <b className={`item verdict ${appearance}`}>
            <ShapeIcon shape={shape} tone={appearance} />
            {VERDICT_LABELS[verdict]}
          </b>
        )}
        <Risk risk={risk} />
        {wasRunning ? null : <HeadlineScores header={header} />}
        <span className="quiet">
          {(wasRunning ? liveDetails(header) : summaryDetails(header)).map((fact, index) => (
            <Fragment key={fact}>
              {index === 0 ? null : ' · '}
              <span className="fact">{fact}</span>
            </Fragment>
          ))}
        </span>
        {wasRunning && turnsDone === null ? <HeadlineScores header={header} /> : null}
      </p>
      {!wasRunning && risk === null && riskReason !== null ? <p className="quiet">{riskReason}</p> : null}
      {run.complete || turnsDone !== null ? null : (
        <p role="status">{l10n.t('The evaluation was stopped. Partial results are shown.')}</p>
      )}
      {wasRunning && why.length === 0 ? <p className="why quiet">{emptyReason(header)}</p> : null}
      {why.length === 0 ? null : <Why why={why} />}
    </section>
  );
}

/** The text shown if there are no reasons. */
function emptyReason({ problems, riskReason, turnsDone }: ReportHeader): string {
  const label = problems === 0 ? l10n.t('No problems') : formatCount(problems, 'problem');
  return turnsDone === null ? (riskReason ?? `${label}.`) : l10n.t('{0} so far.', label);
}

/** The details if the evaluation was running: what was known from the beginning comes first. */
function liveDetails(header: ReportHeader): string[] {
  const turns = formatCount(header.strip.turns, 'turn');
  return header.turnsDone === null ? [turns, ...summaryDetails(header).filter((fact) => fact !== turns)] : [turns];
}

/** Problems, gates, coverage and cost. */
function summaryDetails({ gates, coverage, strip, problems, run }: ReportHeader): string[] {
  const { durationMs, judgeCalls, promptTokens, completionTokens, cost } = run;
  const met = gates.filter((gate) => gate.met).length;
  return [
    ...(problems === 0 ? [] : [formatCount(problems, 'problem')]),
    gates.length === 0 ? l10n.t('no gates') : l10n.t('{0} of {1} met', met, formatCount(gates.length, 'gate')),
    l10n.t('{0} of {1} scored', coverage.scored.toLocaleString('en'), formatCount(coverage.of, 'result')),
    formatCount(strip.turns, 'turn'),
    ...(durationMs === null ? [] : [formatDuration(durationMs)]),
    ...(judgeCalls === 0
      ? []
      : [formatCount(judgeCalls, 'call'), formatCount(promptTokens + completionTokens, 'token')]),
    ...(cost === null ? [] : [l10n.t('cost {0}', formatCost(cost))]),
  ];
}

const HEADLINE_METRICS = new Map([
  ['agent_reliability', l10n.t('reliability')],
  ['agent_consistency', l10n.t('consistency')],
]);

/** Reliability and consistency. */
function HeadlineScores({ header: { scores } }: Readonly<{ header: ReportHeader }>) {
  return scores.map(({ metric, value, scale, status, passed }) => {
    const name = HEADLINE_METRICS.get(metric);
    if (name === undefined || status !== 'scored') return null;
    return (
      <span key={metric}>
        {name} <b className={passed === false ? 'bad' : ''}>{formatValue(value, scale)}</b>
      </span>
    );
  });
}

function Why({ why }: Readonly<{ why: ReportHeader['why'] }>) {
  const { goTo } = useActions();
  return (
    <ul className="why" aria-label={l10n.t('Reasons')}>
      {why.map(({ sentence, turn, severity, target }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two turns may have the same problem.
        <li key={index} className="item">
          {severity === null ? (
            <ShapeIcon shape="dot" tone="quiet" />
          ) : (
            <ShapeIcon shape="cross" tone={SEVERITY_TONES[severity]} />
          )}
          {turn === null ? null : (
            <button type="button" className="link" onClick={() => goTo(turn)}>
              {l10n.t('turn {0}', turn + 1)}
            </button>
          )}
          {target === null ? (
            <p className="because">
              <Sentence text={sentence} />
            </p>
          ) : (
            <RevealButton target={target} className="because">
              <Sentence text={sentence} />
            </RevealButton>
          )}
        </li>
      ))}
    </ul>
  );
}
