import * as l10n from '@vscode/l10n';
import type { ComparedMetric, RunComparison } from '../../src/core/run-comparison.ts';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { TraceText } from '../overview/trace-text.tsx';
import { CONCLUSION_LABELS } from './conclusions.ts';
import { DifferenceAxis, improvementOf } from './difference-axis.tsx';
import { bySuccess, formatDifference, formatDifferenceRange, formatRunValue } from './run-values.ts';

/** In which order metrics are shown: what changed first. */
const ORDER: readonly ComparedMetric['conclusion'][] = [
  'worse',
  'better',
  'no clear difference',
  'cannot tell',
  'not comparable',
];

/** Every metric: its means, the difference with its interval, and what to conclude. */
export function ComparedMetrics({ metrics }: Pick<RunComparison, 'metrics'>) {
  const rows = Object.entries(metrics).toSorted(
    ([a, one], [b, other]) =>
      bySuccess(a, b) ||
      ORDER.indexOf(one.conclusion) - ORDER.indexOf(other.conclusion) ||
      (one.pAdjusted ?? 1) - (other.pAdjusted ?? 1),
  );
  if (rows.length === 0) return <p className="nothing">{l10n.t('No metric has a score in both runs.')}</p>;
  const widest = Math.max(
    0,
    ...rows.flatMap(([, { ci95, scale, unit }]) =>
      ci95 === null || !hasScale(unit) ? [] : ci95.map((end) => Math.abs(end) / widthOf(scale)),
    ),
  );
  return (
    <>
      <p className="quiet legend-line">
        {l10n.t(
          'Differences are the second run minus the first, over tasks that both have. Lines are 95% intervals; better is to the right.',
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="wide-table" tabIndex={0} aria-label={l10n.t('Compared metrics')}>
        <table className="compared-metrics">
          <thead>
            <tr>
              <th scope="col">{l10n.t('Metric')}</th>
              <th scope="col">{l10n.t('Conclusion')}</th>
              <th scope="col">{l10n.t('Before')}</th>
              <th scope="col">{l10n.t('After')}</th>
              <th scope="col">{l10n.t('Difference')}</th>
              <th scope="col">{l10n.t('95% Interval')}</th>
              <th scope="col">{l10n.t('Pairs')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, metric]) => (
              <MetricRow key={name} name={name} metric={metric} widest={widest} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

type MetricRowProps = Readonly<{
  name: string;
  metric: ComparedMetric;
  /** The largest end of an interval of all metrics with a scale, as a share of it. */
  widest: number;
}>;

function MetricRow({ name, metric, widest }: MetricRowProps) {
  const { conclusion, before, after, difference, ci95, pairs, unit, scale, lowerIsBetter, reason } = metric;
  const label = CONCLUSION_LABELS[conclusion];
  const mean = (side: ComparedMetric['before']) => (side === null ? '–' : formatRunValue(side.mean, unit, scale));
  return (
    <>
      <tr className="metric-row">
        <th scope="row" rowSpan={2}>
          <TraceText text={name} className="metric" />
          {lowerIsBetter ? <span className="quiet lower">{l10n.t('lower is better')}</span> : null}
        </th>
        <td className="word-cell">
          <span className={`item ${label.tone}`}>
            <ShapeIcon {...label} />
            {label.word}
          </span>
        </td>
        <td>{mean(before)}</td>
        <td>{mean(after)}</td>
        <td>{difference === null ? '–' : formatDifference(difference, unit, scale)}</td>
        <td className="axis-cell">
          {difference === null || ci95 === null ? (
            '–'
          ) : (
            <>
              <DifferenceAxis
                difference={improvementOf(difference, lowerIsBetter)}
                interval={lowerIsBetter ? [-ci95[1], -ci95[0]] : ci95}
                end={hasScale(unit) ? widest * widthOf(scale) : Math.max(...ci95.map(Math.abs))}
                tone={label.tone}
              />
              <span className="interval">{formatDifferenceRange(ci95, unit, scale)}</span>
            </>
          )}
        </td>
        <td>{pairs.toLocaleString('en')}</td>
      </tr>
      <tr className="metric-why">
        <td colSpan={6} className="quiet">
          <PlainText text={reason} />
        </td>
      </tr>
    </>
  );
}

function hasScale(unit: ComparedMetric['unit']): boolean {
  return unit === 'score' || unit === 'share';
}

function widthOf(scale: ComparedMetric['scale']): number {
  const [low, high] = scale ?? [0, 1];
  return high === null || high <= low ? 1 : high - low;
}
