import type { Undecided } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { findRootReasons } from '../../core/root-reasons.ts';
import { listSome } from '../../core/text/lists.ts';
import { type CountedResults, metricsCoverage } from '../../report-model/run-coverage.ts';
import { sanitizeLine, wrap } from '../terminal-text.ts';
import type { TableStyle } from './style.ts';

/** Limits of the listed reasons, and of the metrics named for each. */
const REASONS = 8;
const NAMES = 3;
const KINDS = {
  error: { mark: '!', tone: 'bad', text: 'failed' },
  cancelled: { mark: '×', tone: 'doubtful', text: 'cancelled' },
  needs_judge: { mark: '?', tone: 'doubtful', text: 'open' },
} as const;

/**
 * Results without a score, grouped by reason: one outage fails many metrics and is printed once.
 *
 * @param undecided the causes that are printed with the gates. They are not repeated; results derived from such results are
 * counted here, since they are not counted there.
 */
export function* missingResultLines(
  status: keyof typeof KINDS,
  byMetric: CountedResults,
  undecided: readonly Undecided[],
  style: TableStyle,
): Generator<string> {
  const { mark, tone, text: statusText } = KINDS[status];
  const groups = groupByReason(status, byMetric, undecided);
  for (const { metrics, reason, count } of groups.slice(0, REASONS)) {
    // A mean rests on fewer results than the number of turns suggests.
    const { scored, of } = metricsCoverage(byMetric, metrics);
    const why = whyText(undecided, { metrics, reason, count });
    const text = `${shortList(metrics)}: ${scored} of ${of} scored, ${count} ${statusText}${why}`;
    for (const [index, line] of wrap(text, style.columns - 4).entries()) {
      yield `  ${index === 0 ? style.paint(mark, tone) : ' '} ${line}`;
    }
  }
  const left = groups.slice(REASONS).reduce((sum, { count }) => sum + count, 0);
  if (left > 0) yield `    ${style.paint(`and ${left} more ${statusText}; --format json has them`, 'quiet')}`;
}

/** The reason; or, where the gates give it already, how many results are only derived. */
function whyText(undecided: readonly Undecided[], { metrics, reason, count }: MissingResultGroup): string {
  const sameCause = undecided.filter(({ cause }) => cause === reason);
  if (sameCause.length === 0) return `: ${sanitizeLine(reason)}`;
  const own = sameCause
    .flatMap((entry) => Object.entries(entry.metrics))
    .filter(([metric]) => metrics.includes(metric));
  const derived = count - own.reduce((sum, [, missing]) => sum + missing, 0);
  return derived > 0 ? ` (${derived} of them derived), see Gates` : ', see Gates';
}

interface MissingResultGroup {
  readonly metrics: readonly string[];
  readonly reason: string;
  readonly count: number;
}

/** Groups of results with the same reason, or of one metric if no other has the reason. The largest group first. */
function groupByReason(
  wanted: Result['status'],
  byMetric: CountedResults,
  undecided: readonly Undecided[],
): MissingResultGroup[] {
  const missing = [...byMetric].flatMap(([metric, results]) =>
    results.flatMap(({ status, reason, count }) =>
      status === wanted ? [{ metric, reason: reason || 'no reason given', count }] : [],
    ),
  );
  const causes = undecided.flatMap(({ cause }) => cause ?? []);
  const rootOf = findRootReasons([...causes, ...missing.map(({ reason }) => reason)]);
  const metricsOf = (alike: typeof missing) => [...new Set(alike.map(({ metric }) => metric))];
  const byReason = [...Map.groupBy(missing, ({ reason }) => rootOf(reason))];
  const keyed = byReason.flatMap(([root, alike]) => {
    const [metric, ...others] = metricsOf(alike);
    return alike.map((result) => ({
      ...result,
      root,
      key: others.length === 0 ? `metric ${metric}` : `reason ${root}`,
    }));
  });
  return [...Map.groupBy(keyed, ({ key }) => key).values()]
    .map((alike) => ({ metrics: metricsOf(alike), reason: alike[0]?.root ?? '', count: sumCounts(alike) }))
    .sort((a, b) => b.count - a.count);
}

function sumCounts(counted: readonly { readonly count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/** The first names, and the number of the others. */
function shortList(names: readonly string[]): string {
  return listSome(names, NAMES, 2);
}
