import type { RunLabel, RunTrend, TrendPoint, TrendSubject, TrendVersion } from '../../core/run-trend.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { formatDifference, formatInterval, formatValue } from '../../runs/compare/figures.ts';
import { commitOf, ownVersion } from '../../runs/compare/labels.ts';
import { shortRunId } from '../../runs/run-label.ts';

/** The words of trends, distributions and leaderboards, for each kind of output to lay out. None of them is sanitized. */

export const POINT_HEADINGS = ['run', 'began (UTC)', 'agent', 'commit', 'value', '95 % interval', 'sessions'] as const;

/** The cells of a run; a row of these is never too long for 80 columns. */
export function pointCells(point: TrendPoint, { unit }: TrendSubject): string[] {
  const { value, interval, n } = point;
  return [
    ...labelCells(point),
    value === null ? '–' : formatValue(value, unit),
    interval === null ? '' : formatInterval(interval, unit, false),
    String(n),
  ];
}

function labelCells({ run, name, startedAt, agentVersion, git }: RunLabel): string[] {
  return [
    name ?? shortRunId(run),
    startedAt.slice(0, 16).replace('T', ' '),
    ownVersion(agentVersion, git) ?? '',
    git ? commitOf(git) : '',
  ];
}

/** `correct, of the task refund: higher is better, threshold 0.8`. */
export function subjectText({ name, task, lowerIsBetter, threshold, unit, kind }: TrendSubject): string {
  const what = kind === 'rule' || kind === 'label' ? `Share of sessions with ${name}` : name;
  const limit = threshold === null ? '' : `, threshold ${formatValue(threshold, unit)}`;
  return `${what}${task === null ? ', mean over tasks' : `, of the task ${task}`}: ${lowerIsBetter ? 'lower' : 'higher'} is better${limit}`;
}

/** What the trend comes to, in one sentence. */
export function trendHeadline({ points, changes, segments }: RunTrend): string {
  const last = changes.at(-1);
  const runs = pluralize(points.length, 'run');
  const parts = segments.length > 1 ? `, ${segments.length} parts that cannot be compared with each other` : '';
  if (!last) return `No change beyond chance in ${runs}${parts}.`;
  const { agentVersion: version = null, git = null, run = '', name } = points[last.at] ?? {};
  const agentVersion = ownVersion(version, git);
  const facts = [agentVersion && `agent ${agentVersion}`, git && `commit ${commitOf(git)}`].filter((part) => part);
  const since = `run ${name ?? shortRunId(run)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
  return `${last.conclusion === 'better' ? 'Better' : 'Worse'} since ${since}: ${last.text}.`;
}

export const VERSION_HEADINGS = [
  'agent version',
  'task',
  'runs',
  'sessions',
  'mean',
  'minimum',
  'maximum',
  'deviation',
] as const;

export function versionCells(
  { version, task, runs, n, mean, minimum, maximum, deviation }: TrendVersion,
  { unit }: TrendSubject,
): string[] {
  return [
    version ?? 'unknown',
    task ?? 'all',
    String(runs),
    String(n),
    ...[mean, minimum, maximum].map((value) => formatValue(value, unit)),
    deviation === null ? '' : `${deviation > 0 ? '+' : ''}${formatDifference(deviation, unit)}`,
  ];
}
