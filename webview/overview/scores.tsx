import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'react';
import {
  type OverviewDistribution,
  type OverviewScores,
  overviewScores,
} from '../../src/protocol/sessions-overview.ts';
import { Histogram } from '../components/histogram.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { formatCount, formatValue } from '../format.ts';
import { useRequest } from '../hooks/use-request.ts';
import type { EditorConnection } from '../host.ts';
import { TraceText } from './trace-text.tsx';

type ScoresProps = Readonly<{ host: EditorConnection; scope: string | null; revision: number }>;

/** Means over the sessions, their attempts, and the distribution of a score. */
export function Scores({ host, scope, revision }: ScoresProps) {
  const params = useMemo(() => ({ scope }), [scope]);
  const answer = useRequest(host, overviewScores, params, revision);
  const [metric, setMetric] = useState<string | null>(null);
  if (answer.type === 'waiting') return <p className="quiet">{l10n.t('Loading scores…')}</p>;
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  const { distributions, correctedShares, completion, attempts } = answer.value;
  const chosen = distributions.find((one) => one.metric === metric) ?? mostScored(distributions);
  return (
    <section className="overview-scores" aria-label={l10n.t('Scores')}>
      <div>
        {completion.score === null ? null : (
          <p>
            {l10n.t('Completed without human help: {0}', `${Math.round(100 * completion.score)}%`)}{' '}
            <span className="quiet">{completion.reason}</span>
          </p>
        )}
        {correctedShares.map(({ metric, text }) => (
          <p key={metric}>
            <PlainText text={`${metric}: ${text}`} />
          </p>
        ))}
        {attempts ? <Attempts attempts={attempts} /> : null}
        {chosen ? (
          <Histogram
            name={chosen.metric}
            caption={
              <>
                <TraceText text={chosen.metric} className="metric" />{' '}
                <span className="quiet">{scoreCount(chosen)}</span>
              </>
            }
            bins={chosen.bins}
            threshold={chosen.threshold}
            format={(value) => formatValue(value, chosen.scale)}
            counted={l10n.t('Scores')}
          />
        ) : (
          <p>{l10n.t('No metric has a score.')}</p>
        )}
      </div>
      {distributions.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <section className="table means" tabIndex={0} aria-label={l10n.t('Means')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{l10n.t('Metric')}</th>
                <th scope="col">{l10n.t('Mean')}</th>
                <th scope="col">{l10n.t('95% Interval')}</th>
                <th scope="col">{l10n.t('Deviation')}</th>
                <th scope="col">{l10n.t('Scores')}</th>
              </tr>
            </thead>
            <tbody>
              {distributions.map((one) => (
                <tr key={one.metric} aria-current={one === chosen || undefined}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => setMetric(one.metric)}>
                      <TraceText text={one.metric} />
                    </button>
                  </th>
                  <td>{withScale(one)}</td>
                  <td>{one.interval ? one.interval.map((end) => formatValue(end, one.scale)).join(' – ') : '–'}</td>
                  <td>{one.standardDeviation === null ? '–' : one.standardDeviation.toFixed(2)}</td>
                  <td>{scoreCount(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

/** The metric with the most scores; undefined without metrics. */
function mostScored(distributions: readonly OverviewDistribution[]): OverviewDistribution | undefined {
  return distributions.toSorted((a, b) => b.n - a.n)[0];
}

/** `0.83 / 1`, `4.2` */
function withScale({ mean, scale }: OverviewDistribution): string {
  const end = scale?.[1];
  return end === undefined || end === null ? formatValue(mean, scale) : `${formatValue(mean, scale)} / ${end}`;
}

function scoreCount({ n, unit }: OverviewDistribution): string {
  return formatCount(n, unit);
}

function Attempts({ attempts }: Readonly<{ attempts: NonNullable<OverviewScores['attempts']> }>) {
  const { estimator, correctBy, scenarios, leftOut, table } = attempts;
  const caption = l10n.t('{0}, success by {1}, {2} estimator', formatCount(scenarios, 'task'), correctBy, estimator);
  return (
    <>
      <p className="quiet">
        {caption}
        {leftOut === 0 ? '' : `. ${l10n.t('{0} left out: outcome unknown', formatCount(leftOut, 'attempt'))}`}
      </p>
      <table aria-label={l10n.t('Attempts')}>
        <thead>
          <tr>
            <th scope="col">k</th>
            <th scope="col">pass@k</th>
            <th scope="col">pass^k</th>
          </tr>
        </thead>
        <tbody>
          {table.slice(0, 10).map(({ k, passAtK, passPowK }) => (
            <tr key={k}>
              <th scope="row">{k}</th>
              <td>{passAtK.toFixed(2)}</td>
              <td>{passPowK.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
