import * as l10n from '@vscode/l10n';
import { useState } from 'react';
import {
  type DisagreementRow,
  type JudgeAgreementRow,
  type LabelState,
  locateResult,
  type MeasuredShareRow,
} from '../../src/protocol/labels.ts';
import { reveal } from '../../src/protocol/panel.ts';
import { PlainText } from '../components/rich-text.tsx';
import { messageOf } from '../hooks/use-report.ts';
import type { RunsHost } from '../host.ts';
import { LABEL_WORDS } from './labelled-answer.tsx';
import { formatRunValue, locationOf } from './run-values.ts';
import type { Labelling, LabelScope } from './use-labelling.ts';

type JudgeAgreementProps = Readonly<{
  host: RunsHost;
  scope: LabelScope;
  state: LabelState;
  labelling: Pick<Labelling, 'calibrate' | 'isBusy'>;
}>;

/** What held-out labels say about the judge, once there are enough: figures, how it may gate, and where people disagree. */
export function JudgeAgreement({ host, scope, state, labelling }: JudgeAgreementProps) {
  const { agreement, file, refusal, needed } = state;
  if (agreement === null) return null;
  const { isBeyondChance, stored } = agreement;
  return (
    <section className="judge-agreement">
      <h2>{l10n.t('How the judge agrees with people')}</h2>
      <Figures agreement={agreement} needed={needed} />
      {isBeyondChance ? null : (
        <p className="doubtful">
          {l10n.t('The judge does not agree with people beyond chance: it informs, and cannot gate.')}
        </p>
      )}
      {stored === 'yes' ? (
        <>
          <p>{l10n.t('Stored in {0}: reports show the corrected share of runs with these labels.', file)}</p>
          {isBeyondChance ? (
            <p>
              {l10n.t('To let only calibrated judges gate, add to the configuration:')}{' '}
              <code>{'gates: { judge: calibrated }'}</code>
            </p>
          ) : null}
        </>
      ) : (
        <div className="label-buttons">
          <button
            type="button"
            className="primary"
            disabled={refusal !== null}
            aria-disabled={labelling.isBusy}
            onClick={labelling.calibrate}
          >
            {l10n.t('Store Calibration')}
          </button>
          <p>
            {stored === 'outdated'
              ? l10n.t('Labels have changed since these figures were stored in {0}.', file)
              : l10n.t('Reports then show the corrected share of runs with these labels, and the judge may gate.')}
          </p>
        </div>
      )}
      <Disagreements host={host} scope={scope} agreement={agreement} />
    </section>
  );
}

function Figures({ agreement, needed }: Readonly<{ agreement: JudgeAgreementRow; needed: number }>) {
  const { kappa, truePositiveRate, trueNegativeRate, passing } = agreement;
  const range = ([low, high]: readonly [number, number]) => `${low.toFixed(2)}–${high.toFixed(2)}`;
  const shareRow = (name: string, { share, of, interval }: MeasuredShareRow, what: string) => ({
    name,
    value: share === null ? '–' : share.toFixed(2),
    interval: share === null ? '–' : range(interval),
    what: share === null ? l10n.t('{0} (no such label)', what) : l10n.t('{0} ({1} labels)', what, of),
  });
  const percent = (share: number) => formatRunValue(Math.round(100 * share) / 100, 'share', null);
  const rows = [
    {
      name: 'kappa',
      value: kappa === null ? '–' : kappa.value.toFixed(2),
      interval: kappa === null ? '–' : range(kappa.interval),
      what:
        kappa === null
          ? l10n.t('judge or person give one answer only')
          : l10n.t('agreement beyond chance: 0 is chance, 1 always'),
    },
    shareRow('TPR', truePositiveRate, l10n.t('of what people pass, the judge passes')),
    shareRow('TNR', trueNegativeRate, l10n.t('of what people fail, the judge fails')),
    {
      name: l10n.t('Corrected share'),
      value: passing.corrected === null ? '–' : percent(passing.corrected.share),
      interval: passing.corrected === null ? '–' : passing.corrected.interval.map(percent).join('–'),
      what:
        passing.corrected === null
          ? l10n.t(
              '{0} labels are a random choice of this run, and {1} are needed: label more of it',
              passing.labels,
              needed,
            )
          : l10n.t('of all results of this run people would pass; the judge passes {0}', percent(passing.judged)),
    },
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="wide-table" tabIndex={0} aria-label={l10n.t('Figures on held-out labels')}>
      <table className="judge-figures">
        <thead>
          <tr>
            <th scope="col">{l10n.t('Figure')}</th>
            <th scope="col">{l10n.t('Value')}</th>
            <th scope="col">{l10n.t('95% Interval')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, value, interval, what }) => (
            <tr key={name}>
              <th scope="row">
                {name}
                <span className="quiet lower">{what}</span>
              </th>
              <td>{value}</td>
              <td>{interval}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Disagreements({
  host,
  scope: { run, metric },
  agreement: { disagreements, disagreementCount },
}: Readonly<{ host: RunsHost; scope: LabelScope; agreement: JudgeAgreementRow }>) {
  const [error, setError] = useState<string | null>(null);
  if (disagreements.length === 0) return <p>{l10n.t('You agree with the judge on all held-out results.')}</p>;
  const open = async ({ id, file }: DisagreementRow): Promise<void> => {
    setError(null);
    const { target } = await host.request(locateResult, { run, metric, id });
    if (target) await host.request(reveal, { target, focus: true });
    else setError(l10n.t('{0} changed after the run or is gone.', file));
  };
  const omitted = disagreementCount - disagreements.length;
  return (
    <>
      <h3>
        {disagreementCount === 1
          ? l10n.t('1 disagreement, to see who is right')
          : l10n.t('{0} disagreements, to see who is right', disagreementCount)}
      </h3>
      {error === null ? null : (
        <p role="alert">
          <PlainText text={error} />
        </p>
      )}
      <ul className="disagreements">
        {disagreements.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              className="link"
              onClick={() => void open(one).catch((reason: unknown) => setError(messageOf(reason)))}
            >
              <PlainText text={locationOf(one)} />
            </button>
            <span>
              {l10n.t(
                'You: {0}. Judge: {1}',
                LABEL_WORDS[one.label],
                LABEL_WORDS[one.label === 'pass' ? 'fail' : 'pass'],
              )}
              {one.score === null ? null : <span className="quiet"> {l10n.t('(score {0})', one.score)}</span>}
            </span>
            <span className="quiet">
              {one.turn === null ? '' : `${l10n.t('turn {0}', one.turn + 1)} · `}
              <PlainText text={one.session} />
            </span>
            {one.note === null ? null : (
              <span>
                <PlainText text={one.note} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {omitted > 0 ? <p className="quiet">{l10n.t('and {0} more', omitted)}</p> : null}
    </>
  );
}
