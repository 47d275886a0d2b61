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
 * What a person wants to know first: the verdict, and why. Where the evaluation goes on, or has been seen to, what is
 * still to be said has its place: nothing below moves when it is.
 */
export function Summary({ header }: Readonly<{ header: ReportHeader }>) {
  const { verdict, risk, riskReason, failures, run, turnsDone, why } = header;
  const [hasGrown, setGrown] = useState(false);
  if (turnsDone !== null && !hasGrown) setGrown(true);
  const { shape, tone } = VERDICTS[verdict];
  // Its gates let it pass, and there is something to look at.
  const shown = verdict === 'passed' && failures > 0 ? 'doubtful' : tone;
  const isFirst = turnsDone !== null && run.startedAt === null;
  return (
    <section className={hasGrown ? 'summary growing' : 'summary'} aria-label={l10n.t('Verdict')}>
      <p className="facts">
        {isFirst ? (
          <span className="verdict quiet">{l10n.t('evaluating')}</span>
        ) : (
          <b className={`item verdict ${shown}`}>
            <ShapeIcon shape={shape} tone={shown} />
            {VERDICT_LABELS[verdict]}
          </b>
        )}
        <Risk risk={risk} />
        {hasGrown ? null : <Figures header={header} />}
        <span className="quiet">
          {(hasGrown ? grownOf(header) : summaryDetails(header)).map((fact, index) => (
            <Fragment key={fact}>
              {index === 0 ? null : ' · '}
              <span className="fact">{fact}</span>
            </Fragment>
          ))}
        </span>
        {hasGrown && turnsDone === null ? <Figures header={header} /> : null}
      </p>
      {!hasGrown && risk === null && riskReason !== null ? <p className="quiet">{riskReason}</p> : null}
      {run.complete || turnsDone !== null ? null : (
        <p role="status">{l10n.t('The evaluation was stopped. Partial results are shown.')}</p>
      )}
      {hasGrown && why.length === 0 ? <p className="why quiet">{emptyReason(header)}</p> : null}
      {why.length === 0 ? null : <Why why={why} />}
    </section>
  );
}

/** What is said in place of reasons. */
function emptyReason({ failures, riskReason, turnsDone }: ReportHeader): string {
  const found = failures === 0 ? l10n.t('No problems') : formatCount(failures, 'problem');
  return turnsDone === null ? (riskReason ?? `${found}.`) : l10n.t('{0} so far.', found);
}

/** The same where it has grown: what was there from the beginning is at the beginning. */
function grownOf(header: ReportHeader): string[] {
  const turns = formatCount(header.strip.turns, 'turn');
  return header.turnsDone === null ? [turns, ...summaryDetails(header).filter((fact) => fact !== turns)] : [turns];
}

/** What the verdict stands on, and what it took. */
function summaryDetails({ gates, coverage, strip, failures, run }: ReportHeader): string[] {
  const { durationMs, judgeCalls, promptTokens, completionTokens, cost } = run;
  const met = gates.filter((gate) => gate.met).length;
  return [
    ...(failures === 0 ? [] : [formatCount(failures, 'problem')]),
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

const NAMED = new Map([
  ['agent_reliability', l10n.t('reliability')],
  ['agent_consistency', l10n.t('consistency')],
]);

/** The two figures of a session that people compare. */
function Figures({ header: { scores } }: Readonly<{ header: ReportHeader }>) {
  return scores.map(({ metric, value, scale, status, passed }) => {
    const name = NAMED.get(metric);
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
        // biome-ignore lint/suspicious/noArrayIndexKey: two turns may fail in the same words.
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
