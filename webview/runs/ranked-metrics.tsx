import * as l10n from '@vscode/l10n';
import type { RankedMetric, RunComparison } from '../../src/core/run-comparison.ts';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { TraceText } from '../overview/trace-text.tsx';
import { RunColumns } from './run-columns.tsx';
import { bySuccess, formatRunValue } from './run-values.ts';

type RankedMetricsProps = Readonly<{
  leaderboard: NonNullable<RunComparison['leaderboard']>;
  runs: RunComparison['runs'];
}>;

/** Agents by metrics: means, intervals, and the places that a run can have. */
export function RankedMetrics({ leaderboard, runs }: RankedMetricsProps) {
  const rows = Object.entries(leaderboard).toSorted(([a], [b]) => bySuccess(a, b));
  if (rows.length === 0) return <p className="nothing">{l10n.t('No metric has a score in all runs.')}</p>;
  return (
    <>
      <p className="quiet legend-line">
        {l10n.t(
          'Over tasks that all runs have. A place such as 1–2 means that the runs cannot be told apart in 95% of the draws of tasks.',
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="wide-table" tabIndex={0} aria-label={l10n.t('Ranking of runs')}>
        <table className="ranking">
          <RunColumns rows={l10n.t('Metric')} runs={runs} />
          <tbody>
            {rows.map(([name, metric]) => (
              <RankedRows key={name} name={name} metric={metric} runs={runs} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function RankedRows({
  name,
  metric,
  runs,
}: Readonly<{ name: string; metric: RankedMetric; runs: RunComparison['runs'] }>) {
  const { best, tasks, standings, lowerIsBetter, unit, scale, reason } = metric;
  return (
    <>
      <tr className="metric-row">
        <th scope="row" rowSpan={2}>
          <TraceText text={name} className="metric" />
          <span className="quiet lower">
            {lowerIsBetter ? l10n.t('lower is better, {0} tasks', tasks) : l10n.t('{0} tasks', tasks)}
          </span>
        </th>
        {runs.map(({ id }, index) => {
          const standing = standings.find(({ run }) => run === index);
          if (!standing) return <td key={id}>–</td>;
          const { mean, ci95, rank } = standing;
          const value = (one: number) => formatRunValue(one, unit, scale);
          return (
            <td key={id}>
              <span className={`item ${best === index ? 'good' : ''}`}>
                {best === index ? <ShapeIcon shape="tick" tone="good" /> : null}
                <b>{value(mean)}</b>
              </span>
              <span className="quiet ranked-facts">
                {value(ci95[0])}–{value(ci95[1])}
              </span>
              <span className="ranked-facts">
                {rank[0] === rank[1] ? l10n.t('place {0}', rank[0]) : l10n.t('place {0}–{1}', rank[0], rank[1])}
              </span>
            </td>
          );
        })}
      </tr>
      <tr className="metric-why">
        <td colSpan={runs.length} className="quiet">
          <PlainText text={reason} />
        </td>
      </tr>
    </>
  );
}
