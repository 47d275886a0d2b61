import type { Leaderboard, MetricDistribution, RunTrend } from '../../core/run-trend.ts';
import { escapeMarkup } from '../../core/text/escape-markdown.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { formatValue } from '../../runs/compare/figures.ts';
import { shortRunId } from '../../runs/run-label.ts';
import { sanitizeLine } from '../terminal-text.ts';
import {
  POINT_HEADINGS,
  pointCells,
  subjectText,
  trendHeadline,
  VERSION_HEADINGS,
  versionCells,
} from './trend-rows.ts';

/** A trend for a pull request or a wiki. */
export function* trendMarkdown(trend: RunTrend): Generator<string> {
  const { subject, points, segments, changes, versions, notes } = trend;
  yield `## Trend of ${text(subject.name)}\n\n**${text(trendHeadline(trend))}**\n\n${text(subjectText(subject))}\n\n`;
  yield* table(
    [...POINT_HEADINGS, 'note'],
    points.map((point, index) => {
      const change = changes.find(({ at }) => at === index);
      const reasons = segments.find(({ from }) => from === index && from > 0)?.reasons ?? [];
      const remarks = [
        ...reasons.map((reason) => `Not comparable: ${reason}`),
        ...(change ? [`${change.conclusion}: ${change.text}`] : []),
      ];
      return [...pointCells(point, subject), remarks.join(' ')];
    }),
  );
  if (versions.length > 1) {
    yield '\n### Agent versions\n\n';
    yield* table(
      VERSION_HEADINGS,
      versions.map((version) => versionCells(version, subject)),
    );
  }
  if (notes.length > 0) yield '\n';
  for (const note of notes) yield `- ${text(note)}\n`;
}

/** A distribution for a pull request or a wiki. */
export function* distributionMarkdown({
  subject,
  run,
  n,
  missing,
  mean,
  missed,
  bins,
}: MetricDistribution): Generator<string> {
  const { unit, threshold, name } = subject;
  const average = mean === null ? '' : `Mean ${formatValue(mean, unit)} over `;
  const limit = threshold === null ? '' : ` ${missed} miss the threshold of ${formatValue(threshold, unit)}.`;
  yield `## ${text(name)} in run ${text(run.name ?? shortRunId(run.run))}\n\n`;
  const rest = missing === 0 ? '' : `, ${missing} more without a value`;
  yield `${average}${pluralize(n, 'session')}${rest}.${limit} Every session counts alike here; in a trend, every task does.\n\n`;
  yield* table(
    ['from', 'to', 'sessions'],
    bins.map(({ from, to, count }) => [formatValue(from, unit), formatValue(to, unit), String(count)]),
  );
}

/** The riskiest sessions and the least reliable tasks, for a pull request or a wiki. */
export function* leaderboardMarkdown({ sessions, tasks }: Leaderboard): Generator<string> {
  if (tasks.length > 0) {
    yield '\n### Least reliable tasks\n\n';
    yield* table(
      ['task', 'correct', 'attempts', 'runs'],
      tasks.map(({ task, correct, attempts, runs }) => [task, String(correct), String(attempts), String(runs)]),
    );
  }
  if (sessions.length === 0) return;
  yield '\n### Riskiest sessions of the newest run\n\n';
  yield* table(
    ['session', 'location', 'headline'],
    sessions.map(({ id, file, line, headline }) => [id, `${file}${line === null ? '' : `:${line}`}`, headline.text]),
  );
}

function* table(headings: readonly string[], rows: readonly (readonly string[])[]): Generator<string> {
  yield `| ${headings.join(' | ')} |\n| ${headings.map(() => '---').join(' | ')} |\n`;
  for (const row of rows) yield `| ${row.map(text).join(' | ')} |\n`;
}

function text(value: string): string {
  return escapeMarkup(sanitizeLine(value));
}
