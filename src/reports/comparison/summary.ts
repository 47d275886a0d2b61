import type { ComparedMetric, Flip, RunComparison } from '../../core/run-comparison.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { ComparisonHeadline } from '../../runs/compare/comparison-headline.ts';
import { formatDifference, formatInterval, formatValue } from '../../runs/compare/figures.ts';
import { commitOf, ownVersion } from '../../runs/compare/labels.ts';
import { shortRunId } from '../../runs/run-label.ts';

/** The texts of a comparison, for every view that prints it. */

/** `12 worse, 3 better`. */
export function flipCounts(flips: readonly Flip[]): string {
  const of = Map.groupBy(flips, ({ direction }) => direction);
  return (['worse', 'unclear', 'better'] as const)
    .flatMap((direction) => (of.has(direction) ? [`${of.get(direction)?.length} ${direction}`] : []))
    .join(', ');
}

/** `run 3f2a91c0, 2026-11-01 09:00, main@3f2a9c1, 60 tasks, 240 sessions`, without what the label says. */
export function runFacts({
  id,
  label,
  sessions,
  tasks,
  git,
  startedAt,
  agent,
  state,
}: RunComparison['runs'][number]): string {
  const named = label.replace(/ \(run \d+\)$/, '');
  const agentText = [agent.name, ownVersion(agent.version, git)].filter((part) => part !== null).join(' ');
  return [
    `run ${shortRunId(id)}`,
    state === 'complete' ? null : state,
    startedAt.slice(0, 16).replace('T', ' '),
    git && [git.branch, commitOf(git)].filter((part) => part !== null).join('@'),
    pluralize(tasks, 'task'),
    pluralize(sessions, 'session'),
    agentText === '' ? null : agentText,
  ]
    .filter((part) => part !== null && part !== named)
    .join(', ');
}

/** The cells of a metric's row: conclusion, name, before, after, difference, interval, pairs. */
export function metricCells(name: string, metric: ComparedMetric): readonly string[] {
  const { conclusion, before, after, difference, ci95, pairs, tasks, unit } = metric;
  const isCompared = conclusion !== 'not comparable';
  return [
    conclusion,
    name,
    before && isCompared ? formatValue(before.mean, unit) : '–',
    after && isCompared ? formatValue(after.mean, unit) : '–',
    difference === null ? '–' : signed(difference, unit),
    ci95 === null ? '–' : formatInterval(ci95, unit, true),
    `${pairs} / ${tasks}`,
  ];
}

export const METRIC_HEADINGS = [
  'Conclusion',
  'Metric',
  'Before',
  'After',
  'Difference',
  '95 % interval',
  'Pairs / tasks',
] as const;

function signed(value: number, unit: ComparedMetric['unit']): string {
  const text = formatDifference(value, unit);
  return value > 0 ? `+${text}` : text;
}

/** Metrics with something to say first, the rest in their order. */
export function orderedMetrics({ metrics }: RunComparison): [string, ComparedMetric][] {
  const order: readonly ComparedMetric['conclusion'][] = [
    'worse',
    'better',
    'no clear difference',
    'cannot tell',
    'not comparable',
  ];
  return Object.entries(metrics).sort(([, a], [, b]) => order.indexOf(a.conclusion) - order.indexOf(b.conclusion));
}

/** The words before the sentence of a headline, such as `Worse (correct)`; empty where the sentence says it. */
export function headlineLead({ conclusion, metric }: ComparisonHeadline): string {
  if (conclusion === null) return metric ?? '';
  if (metric === null && conclusion !== 'not comparable') return '';
  return `${conclusion.charAt(0).toUpperCase()}${conclusion.slice(1)}${metric === null ? '' : ` (${metric})`}`;
}

/** `4 of 4 attempts before, 1 of 4 after`; empty for single sessions. */
export function attemptsText({ attempts }: Flip): string {
  if (!attempts) return '';
  const { before, after } = attempts;
  return `${before.correct} of ${before.of} attempts before, ${after.correct} of ${after.of} after`;
}

/** `traces/a.json:12`. */
export function locationOf({ file, line }: { readonly file: string; readonly line: number | null }): string {
  return line === null ? file : `${file}:${line}`;
}

/** `1`, or `2–3` where places cannot be told apart. */
export function rankText([best, worst]: readonly [number, number]): string {
  return best === worst ? String(best) : `${best}–${worst}`;
}

/** `a, b, 3 more`. */
export function shortList(names: readonly string[], longest: number): string {
  const more = names.length - longest;
  return more > 0 ? `${names.slice(0, longest).join(', ')}, ${more} more` : names.join(', ');
}
