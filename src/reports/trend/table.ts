import type { Leaderboard, MetricDistribution, RunTrend } from '../../core/run-trend.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { formatInterval, formatValue } from '../../runs/compare/figures.ts';
import { shortRunId } from '../../runs/run-label.ts';
import type { ReportOptions } from '../report-writer.ts';
import { markedLines, quietLines } from '../terminal/layout.ts';
import { createTableStyle, HEADLINE_STYLE, type TableStyle } from '../terminal/style.ts';
import { padEnd, padStart, sanitizeLine, truncate, width, wrap } from '../terminal-text.ts';
import {
  POINT_HEADINGS,
  pointCells,
  subjectText,
  trendHeadline,
  VERSION_HEADINGS,
  versionCells,
} from './trend-rows.ts';

type TableOptions = Pick<ReportOptions, 'color' | 'columns' | 'terminal'>;

/** A trend for a person: what it comes to, a row for each run, then the versions of the agent. */
export function* trendTable(trend: RunTrend, options: TableOptions): Generator<string> {
  const style = createTableStyle(options);
  for (const line of trendLines(trend, style)) yield `${line}\n`;
}

function* trendLines(trend: RunTrend, style: TableStyle): Generator<string> {
  const { subject, points, segments, changes, versions, notes } = trend;
  for (const line of wrap(sanitizeLine(trendHeadline(trend)), style.columns)) yield style.paint(line, 'strong');
  yield* quietLines('', sanitizeLine(subjectText(subject)), style);
  yield '';
  const rows = points.map((point) => pointCells(point, subject));
  const table = layOut(POINT_HEADINGS, rows, ['value', 'sessions']);
  const room = style.terminal ? style.columns - width(table[0] ?? '') - 2 : 0;
  const draw = room >= MIN_CHART ? chartOf(trend, Math.min(room, MAX_CHART)) : null;
  yield style.paint(table[0] ?? '', 'quiet');
  for (const [index, line] of table.slice(1).entries()) {
    const begun = segments.find(({ from }) => from === index && from > 0);
    for (const reason of begun?.reasons ?? [])
      yield* markedLines('', '○', 'normal', `Not comparable: ${sanitizeLine(reason)}`, style);
    const change = changes.find(({ at }) => at === index);
    if (change) {
      const [mark, tone] = change.conclusion === 'better' ? (['▲', 'good'] as const) : (['▼', 'bad'] as const);
      yield* markedLines('', mark, tone, `${change.conclusion}: ${sanitizeLine(change.text)}`, style);
    }
    const drawn = draw?.(index) ?? '';
    yield (drawn === '' ? line : `${padEnd(line, width(table[0] ?? ''))}  ${style.paint(drawn, 'quiet')}`).trimEnd();
  }
  if (versions.length > 1) {
    yield '';
    const numbers = VERSION_HEADINGS.slice(2);
    const [head = '', ...body] = layOut(
      VERSION_HEADINGS,
      versions.map((version) => versionCells(version, subject)),
      numbers,
    );
    yield style.paint(head, 'quiet');
    for (const line of body) yield line.trimEnd();
    yield* quietLines(
      '',
      'Minimum and maximum are of single sessions; the deviation is from all earlier versions.',
      style,
    );
  }
  if (notes.length > 0) yield '';
  for (const note of notes) yield* quietLines('', sanitizeLine(note), style);
}

/** Columns of the chart: fewer show nothing, and more show no more. */
const MIN_CHART = 12;
const MAX_CHART = 36;

/** Draws the interval of a run and its value, on one axis for all runs. */
function chartOf({ points }: RunTrend, columns: number): (index: number) => string {
  const ends = points.flatMap(({ value, interval }) => [...(interval ?? []), ...(value === null ? [] : [value])]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const column = (value: number) => (high === low ? 0 : Math.round(((value - low) / (high - low)) * (columns - 1)));
  return (index) => {
    const { value = null, interval = null } = points[index] ?? {};
    if (value === null) return '';
    const [from, to] = (interval ?? [value, value]).map(column);
    return Array.from({ length: (to ?? 0) + 1 }, (_, at) => {
      if (at === column(value)) return '●';
      return at < (from ?? 0) ? ' ' : '─';
    }).join('');
  };
}

/** A distribution for a person. */
export function* distributionTable(distribution: MetricDistribution, options: TableOptions): Generator<string> {
  const style = createTableStyle(options);
  for (const line of distributionLines(distribution, style)) yield `${line}\n`;
}

const MAX_BAR = 40;

function* distributionLines(
  { subject, run, n, missing, mean, median, standardDeviation, missed, bins }: MetricDistribution,
  style: TableStyle,
): Generator<string> {
  const { unit, threshold, lowerIsBetter, name } = subject;
  // Of yes and no, the mean says it all.
  const isShare = unit === 'share';
  const figures = [
    mean === null ? null : `mean ${formatValue(mean, unit)}`,
    median === null || isShare ? null : `median ${formatValue(median, unit)}`,
    standardDeviation === null || isShare ? null : `standard deviation ${formatValue(standardDeviation, unit)}`,
    `${pluralize(n, 'session')}${missing > 0 ? `, ${missing} more without a value` : ''}`,
  ].filter((part) => part !== null);
  const title = `${name} in run ${run.name ?? shortRunId(run.run)}`;
  for (const line of wrap(sanitizeLine(title), style.columns)) yield style.paint(line, 'strong');
  yield* quietLines('', figures.join(', '), style);
  yield* quietLines('', 'Every session counts alike here; in a trend, every task does.', style);
  yield '';
  if (isShare) {
    yield* shareLines(Math.round((mean ?? 0) * n), n, style);
    return;
  }
  const most = Math.max(...bins.map(({ count }) => count), 1);
  const ranges = bins.map(({ from, to }) => formatInterval([from, to], unit, false));
  const columns = Math.max(...ranges.map(width));
  const room = Math.min(MAX_BAR, style.columns - columns - 10);
  const limit = threshold === null ? '' : `threshold ${lowerIsBetter ? '≤' : '≥'} ${formatValue(threshold, unit)}`;
  const thresholdLine = `${'-'.repeat(columns)}  ${limit}: ${missed} of ${n} ${missed === 1 ? 'misses' : 'miss'} it`;
  let isDrawn = threshold === null;
  for (const [index, { from, count }] of bins.entries()) {
    if (!isDrawn && threshold !== null && threshold <= from) {
      yield thresholdLine;
      isDrawn = true;
    }
    yield `${padStart(ranges[index] ?? '', columns)}  ${barText(count, most, room, style)}`;
  }
  if (!isDrawn) yield thresholdLine;
}

/** Every session has it or not. */
function* shareLines(yes: number, n: number, style: TableStyle): Generator<string> {
  for (const [word, count] of [
    ['yes', yes],
    ['no ', n - yes],
  ] as const)
    yield `${word}  ${barText(count, Math.max(yes, n - yes), MAX_BAR, style)}`;
}

function barText(count: number, most: number, room: number, style: TableStyle): string {
  const bar = (style.terminal ? '█' : '#').repeat(Math.ceil((count / most) * room));
  return `${bar}${bar === '' ? '' : ' '}${count}`;
}

const SHOWN = 10;

/** The riskiest sessions and the least reliable tasks, for a person. */
export function* leaderboardTable({ sessions, tasks }: Leaderboard, options: TableOptions): Generator<string> {
  const style = createTableStyle(options);
  if (tasks.length > 0) {
    yield `\n${style.paint('Least reliable tasks', 'strong')}\n`;
    const rows = tasks
      .slice(0, SHOWN)
      .map(({ task, attempts, correct, runs, interval, flaky }) => [
        truncate(sanitizeLine(task), 40),
        `${correct} of ${attempts}`,
        formatInterval(interval, 'share', false),
        String(runs),
        flaky ? 'attempts of one run disagree' : '',
      ]);
    for (const line of layOut(['task', 'correct', '95 % interval', 'runs', ''], rows, ['correct', 'runs']))
      yield `${`  ${line}`.trimEnd()}\n`;
  }
  if (sessions.length === 0) return;
  yield `\n${style.paint('Riskiest sessions of the newest run', 'strong')}\n`;
  for (const { id, task, file, line, headline, risk } of sessions.slice(0, SHOWN)) {
    const { mark, tone } = HEADLINE_STYLE[headline.kind];
    const where = `${file}${line === null ? '' : `:${line}`}`;
    const name = task === null ? id : `task ${task}`;
    const rank = risk === null ? '' : `, risk ${risk.toFixed(2)}`;
    for (const text of markedLines(
      '  ',
      mark,
      tone,
      sanitizeLine(`${where} · ${name}: ${headline.text}${rank}`),
      style,
    ))
      yield `${text}\n`;
  }
}

/** Rows of one width for each column; a column that is empty in every row is left out. */
function layOut(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly string[],
): string[] {
  const shown = rows.map((cells) => cells.map((cell) => truncate(sanitizeLine(cell), MAX_CELL)));
  const columns = headings.flatMap((heading, index) => {
    const cells = shown.map((row) => row[index] ?? '');
    if (cells.every((cell) => cell === '')) return [];
    const pad = numbers.includes(heading) ? padStart : padEnd;
    const room = Math.max(width(heading), ...cells.map(width));
    return [[heading, ...cells].map((cell) => pad(cell, room))];
  });
  return Array.from({ length: rows.length + 1 }, (_, row) => columns.map((cells) => cells[row] ?? '').join('  '));
}

/** Longer names are cut. */
const MAX_CELL = 40;
