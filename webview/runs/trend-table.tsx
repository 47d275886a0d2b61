import * as l10n from '@vscode/l10n';
import type { RunTrend } from '../../src/core/run-trend.ts';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { TraceText } from '../overview/trace-text.tsx';
import { FLIP_LABELS } from './conclusions.ts';
import { formatRunTime, formatRunValue, shortCommit } from './run-values.ts';

/** What the chart shows, the newest run first. */
export function TrendTable({ trend }: Readonly<{ trend: RunTrend }>) {
  const { points, changes, segments, subject } = trend;
  const format = (value: number) => formatRunValue(value, subject.unit, subject.scale);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="wide-table" tabIndex={0} aria-label={l10n.t('Trend as a table')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{l10n.t('Run')}</th>
            <th scope="col">{l10n.t('Value')}</th>
            <th scope="col">{l10n.t('95% Interval')}</th>
            <th scope="col">{l10n.t('Sessions')}</th>
            <th scope="col">{l10n.t('Commit')}</th>
            <th scope="col">{l10n.t('Agent')}</th>
            <th scope="col">{l10n.t('Note')}</th>
          </tr>
        </thead>
        <tbody>
          {points
            .map((point, index) => {
              const change = changes.find(({ at }) => at === index);
              const segment = segments.find(({ from }) => from === index && index > 0);
              return (
                <tr key={point.run}>
                  <th scope="row">
                    <TraceText text={point.name ?? formatRunTime(point.startedAt)} />
                  </th>
                  <td>{point.value === null ? '–' : format(point.value)}</td>
                  <td>{point.interval === null ? '–' : point.interval.map(format).join(' – ')}</td>
                  <td>{point.n.toLocaleString('en')}</td>
                  <td>{point.git ? shortCommit(point.git.commit) : '–'}</td>
                  <td>{point.agentVersion === null ? '–' : <TraceText text={point.agentVersion} />}</td>
                  <td className="word-cell">
                    {change ? (
                      <span className={`item ${FLIP_LABELS[change.conclusion].tone}`}>
                        <ShapeIcon {...FLIP_LABELS[change.conclusion]} />
                        {FLIP_LABELS[change.conclusion].word}
                      </span>
                    ) : null}
                    {segment ? <PlainText text={segment.reasons.join(' ')} /> : null}
                    {point.complete ? null : <span className="quiet">{l10n.t('incomplete')}</span>}
                  </td>
                </tr>
              );
            })
            .toReversed()}
        </tbody>
      </table>
    </section>
  );
}
