import type { ComparedMetric, Flip, RunComparison, SessionOfRuns } from '../../core/run-comparison.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { withheldBy } from '../../runs/compare/comparability.ts';
import type { ComparisonHeadline } from '../../runs/compare/comparison-headline.ts';
import { formatDifference, formatInterval, formatValue } from '../../runs/compare/figures.ts';
import { hasFailed } from '../../runs/compare/flips.ts';
import { agentLabel, commitOf, ownVersion } from '../../runs/compare/labels.ts';
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
  const named = label.replace(/ \([^()]*\)$/, '');
  return [
    `run ${shortRunId(id)}`,
    state === 'complete' ? null : state,
    startedAt.slice(0, 16).replace('T', ' '),
    git && [git.branch, commitOf(git)].filter((part) => part !== null).join('@'),
    pluralize(tasks, 'task'),
    pluralize(sessions, 'session'),
    agentLabel(agent.name, ownVersion(agent.version, git)),
  ]
    .filter((part) => part !== null && part !== named && part !== label)
    .join(', ');
}

/** The cells of a metric's row: conclusion, name, before, after, difference, interval, pairs. */
export function metricCells(name: string, metric: ComparedMetric): readonly string[] {
  const { conclusion, before, after, difference, ci95, pairs, tasks, unit } = metric;
  return [
    conclusion,
    name,
    before ? formatValue(before.mean, unit) : '–',
    after ? formatValue(after.mean, unit) : '–',
    difference === null ? '–' : signed(difference, unit),
    ci95 === null ? '–' : differenceInterval(ci95, difference ?? 0, unit),
    `${pairs} / ${tasks}`,
  ];
}

/** `-25 to -12`: the unit stands beside, with the difference. */
function differenceInterval(ci95: readonly [number, number], difference: number, unit: ComparedMetric['unit']): string {
  const interval = formatInterval(ci95, unit, true);
  const word = /\s\D+$/.exec(formatDifference(difference, unit))?.[0] ?? '';
  const alone = interval.endsWith(word) ? interval.slice(0, interval.length - word.length) : interval;
  return /\d \D+ to /.test(alone) ? interval : alone;
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

/** The metrics of two runs as they are listed. */
export interface ListedMetrics {
  /** With a difference: those with something to say first, the rest in their order. */
  readonly compared: readonly (readonly [string, ComparedMetric])[];
  /** What a note about comparability withholds. */
  readonly withheld: readonly string[];
  /** Without a value in both runs. */
  readonly unmatched: readonly string[];
}

const ORDER: readonly ComparedMetric['conclusion'][] = ['worse', 'better', 'no clear difference', 'cannot tell'];

export function listMetrics({ metrics, comparability }: RunComparison): ListedMetrics {
  const entries = Object.entries(metrics);
  const names = entries.flatMap(([name, { conclusion }]) => (conclusion === 'not comparable' ? [name] : []));
  return {
    compared: entries
      .filter(([, { conclusion }]) => conclusion !== 'not comparable')
      .sort(([, a], [, b]) => ORDER.indexOf(a.conclusion) - ORDER.indexOf(b.conclusion)),
    withheld: names.filter((name) => withheldBy(comparability, name) !== null),
    unmatched: names.filter((name) => withheldBy(comparability, name) === null),
  };
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

/** How a session of several runs ended in one of them. */
export function standingOf(
  session: SessionOfRuns['sessions'][number],
): 'succeeded' | 'failed' | 'not known' | 'missing' {
  if (!session) return 'missing';
  if (hasFailed(session)) return 'failed';
  return session.outcome === 'succeeded' || session.verdict === 'passed' ? 'succeeded' : 'not known';
}

/** What a session is an attempt of, else its id. */
export function nameOf({ task, sessions }: SessionOfRuns): string {
  const session = sessions.find((one) => one !== null);
  const attempt = session?.trial == null ? '' : ` (attempt ${session.trial})`;
  return task === null ? (session?.id ?? '') : `${task}${attempt}`;
}

/** `traces/a.json:12`. */
export function locationOf({ file, line }: { readonly file: string; readonly line: number | null }): string {
  return line === null ? file : `${file}:${line}`;
}

/** `1`, or `2–3` where places cannot be told apart. */
export function rankText([best, worst]: readonly [number, number]): string {
  return best === worst ? String(best) : `${best}–${worst}`;
}
