import * as l10n from '@vscode/l10n';
import type { RunTrend, TrendPoint } from '../../src/core/run-trend.ts';
import { formatCount } from '../format.ts';
import { formatRunTime, formatRunValue, shortCommit } from './run-values.ts';

/** What is known of a run, a fact each. */
export function pointFacts({ subject }: RunTrend, point: TrendPoint): string[] {
  const { value, interval, n, tasks, leftOut, git, agentVersion, name, startedAt, complete } = point;
  const format = (one: number) => formatRunValue(one, subject.unit, subject.scale);
  return [
    value === null
      ? l10n.t('no value')
      : interval === null
        ? format(value)
        : l10n.t('{0} (95%: {1} to {2})', format(value), format(interval[0]), format(interval[1])),
    tasks === null
      ? formatCount(n, 'session')
      : l10n.t('{0} of {1}', formatCount(n, 'session'), formatCount(tasks, 'task')),
    ...(leftOut === 0 ? [] : [l10n.t('{0} not counted: other tasks', formatCount(leftOut, 'session'))]),
    ...(name === undefined ? [] : [formatRunTime(startedAt)]),
    ...(git ? [`${shortCommit(git.commit)}${git.dirty ? l10n.t(' (uncommitted changes)') : ''}`] : []),
    ...(agentVersion === null ? [] : [l10n.t('agent {0}', agentVersion)]),
    ...(complete ? [] : [l10n.t('incomplete')]),
  ];
}
