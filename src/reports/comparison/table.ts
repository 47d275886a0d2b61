import type { ComparedMetric, Flip, RunComparison } from '../../core/run-comparison.ts';
import { limitList } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { comparisonHeadline } from '../../runs/compare/comparison-headline.ts';
import { formatInterval, formatValue } from '../../runs/compare/figures.ts';
import { unchangedText } from '../../runs/compare/flips.ts';
import type { ReportOptions } from '../report-writer.ts';
import { locationLines, markedLines, quietLines } from '../terminal/layout.ts';
import { createTableStyle, type TableStyle, type TextTone } from '../terminal/style.ts';
import { padEnd, padStart, sanitizeLine, truncate, width, wrap } from '../terminal-text.ts';
import {
  attemptsText,
  flipCounts,
  headlineLead,
  type ListedMetrics,
  listMetrics,
  locationOf,
  METRIC_HEADINGS,
  metricCells,
  nameOf,
  rankText,
  runFacts,
  standingOf,
} from './summary.ts';

/** A comparison for a person: what it comes to, what cannot be compared, then what changed, the worst first. */
export function* comparisonTable(comparison: RunComparison, options: ReportOptions): Generator<string> {
  const style = createTableStyle(options);
  for (const line of lines(comparison, style)) yield `${line}\n`;
}

function* lines(comparison: RunComparison, style: TableStyle): Generator<string> {
  yield* headlineLines(comparison, style);
  yield '';
  yield* runLines(comparison, style);
  yield* noteLines(comparison, style);
  yield* flipLines(comparison, style);
  yield* changedLines(comparison, style);
  yield* metricLines(comparison, style);
  yield* leaderboardLines(comparison, style);
  yield* noiseLines(comparison, style);
  yield* unpairedLines(comparison, style);
}

/** The shape says the conclusion, its color only repeats it. */
const MARKS: Readonly<Record<ComparedMetric['conclusion'], { readonly mark: string; readonly tone: TextTone }>> = {
  better: { mark: '✓', tone: 'good' },
  worse: { mark: '✗', tone: 'bad' },
  'no clear difference': { mark: '=', tone: 'normal' },
  'cannot tell': { mark: '?', tone: 'normal' },
  'not comparable': { mark: '○', tone: 'quiet' },
};

function* headlineLines(comparison: RunComparison, style: TableStyle): Generator<string> {
  const headline = comparisonHeadline(comparison);
  const { conclusion, text, next } = headline;
  const tone = conclusion === null || conclusion === 'better and worse' ? 'strong' : MARKS[conclusion].tone;
  const lead = headlineLead(headline);
  for (const line of wrap(sanitizeLine(lead === '' ? text : `${lead}: ${text}`), style.columns)) {
    yield style.paint(line, tone === 'normal' || tone === 'quiet' ? 'strong' : tone);
  }
  if (next !== null) for (const line of wrap(sanitizeLine(next), style.columns)) yield line;
}

function* runLines({ runs, pairing }: RunComparison, style: TableStyle): Generator<string> {
  const isPair = runs.length === 2;
  const labels = runs.map(({ label }) => sanitizeLine(label));
  const columns = Math.min(40, Math.max(...labels.map(width)));
  for (const [index, run] of runs.entries()) {
    const role = isPair ? (index === 0 ? 'before  ' : 'after   ') : `${index + 1}  `;
    const label = padEnd(truncate(labels[index] ?? '', columns), columns);
    const facts = sanitizeLine(runFacts(run));
    yield truncate(`${role}${label}  ${facts}`, style.columns);
  }
  const what = isPair ? pluralize(pairing.sessions, 'pair of sessions', 'pairs of sessions') : null;
  yield style.paint(
    [pluralize(pairing.tasks, 'shared task'), what].filter((part) => part !== null).join(', '),
    'quiet',
  );
}

const SHOWN_METRICS = 6;

function* noteLines({ comparability }: RunComparison, style: TableStyle): Generator<string> {
  if (comparability.length === 0) return;
  yield '';
  yield style.paint('Comparability', 'strong');
  for (const { withholds, reason, remedy } of comparability) {
    const effect =
      withholds === 'all'
        ? ' Nothing is compared.'
        : withholds.length === 0
          ? ''
          : ` Not compared: ${limitList(withholds, style.verbose ? withholds.length : SHOWN_METRICS).join(', ')}.`;
    yield* markedLines('  ', '!', 'doubtful', sanitizeLine(`${reason}${effect}`), style);
    if (remedy !== null) for (const line of wrap(sanitizeLine(remedy), style.columns - 4)) yield `    ${line}`;
  }
}

const SHOWN_FLIPS = 10;

const DIRECTIONS: Readonly<Record<Flip['direction'], { readonly mark: string; readonly tone: TextTone }>> = {
  worse: MARKS.worse,
  better: MARKS.better,
  unclear: MARKS['cannot tell'],
};

function* flipLines(comparison: RunComparison, style: TableStyle): Generator<string> {
  const { flips } = comparison;
  const unchanged = unchangedText(comparison);
  if (unchanged !== null) yield* ['', style.paint(unchanged, 'strong')];
  if (flips.length === 0) return;
  yield '';
  yield `${style.paint('Flips', 'strong')} ${style.paint(flipCounts(flips), 'quiet')}`;
  const shown = style.verbose ? flips : flips.slice(0, SHOWN_FLIPS);
  for (const flip of shown) {
    const { mark, tone } = DIRECTIONS[flip.direction];
    const name = sanitizeLine(flip.task ?? flip.after.id);
    const attempts = attemptsText(flip);
    yield* markedLines('  ', mark, tone, attempts === '' ? name : `${name} (${attempts})`, style);
    for (const [side, word] of [
      [flip.after, 'after'],
      [flip.before, 'before'],
    ] as const) {
      yield* locationLines(
        '    ',
        sanitizeLine(locationOf(side)),
        sanitizeLine(`${word}: ${side.headline.text}${style.verbose ? ` · ${side.id}` : ''}`),
        style,
      );
    }
  }
  if (shown.length < flips.length) yield* quietLines('  ', `${flips.length - shown.length} more: --verbose`, style);
}

const STANDINGS: Readonly<Record<ReturnType<typeof standingOf>, { readonly mark: string; readonly tone: TextTone }>> = {
  succeeded: MARKS.better,
  failed: MARKS.worse,
  'not known': MARKS['cannot tell'],
  missing: { mark: '–', tone: 'quiet' },
};

/** Of more than two runs: a column for each, in their order. */
function* changedLines({ changedSessions, runs }: RunComparison, style: TableStyle): Generator<string> {
  if (changedSessions.length === 0) return;
  yield '';
  const what = `${pluralize(changedSessions.length, 'session')}: ✓ succeeded or passed, ✗ failed, ? not known, – no such attempt`;
  yield `${style.paint('Different in the runs', 'strong')} ${style.paint(truncate(what, style.columns - 22), 'quiet')}`;
  const shown = style.verbose ? changedSessions : changedSessions.slice(0, SHOWN_FLIPS);
  const names = shown.map((changed) => sanitizeLine(nameOf(changed)));
  const columns = Math.min(style.columns - 2 - 3 * runs.length, Math.max(0, ...names.map(width)));
  yield style.paint(`${' '.repeat(2 + columns)}${runs.map((_, run) => `  ${run + 1}`).join('')}`, 'quiet');
  for (const [index, { sessions }] of shown.entries()) {
    const marks = sessions.map((session) => {
      const { mark, tone } = STANDINGS[standingOf(session)];
      return `  ${style.paint(mark, tone)}`;
    });
    yield `  ${padEnd(truncate(names[index] ?? '', columns), columns)}${marks.join('')}`;
    for (const [run, session] of sessions.entries()) {
      if (!session || !(style.verbose || run === sessions.findIndex((one) => one && standingOf(one) === 'failed')))
        continue;
      const note = `${run + 1}: ${session.headline.text}${style.verbose ? ` · ${session.id}` : ''}`;
      yield* locationLines('    ', sanitizeLine(locationOf(session)), sanitizeLine(note), style);
    }
  }
  if (shown.length < changedSessions.length) {
    yield* quietLines('  ', `${changedSessions.length - shown.length} more: --verbose`, style);
  }
}

/** Positions in a row, whose conclusion stands above: what a narrow terminal leaves out is in the reasons, with --verbose. */
const COLUMN_SETS: readonly (readonly number[])[] = [
  [1, 2, 3, 4, 5, 6],
  [1, 2, 3, 4, 5],
  [1, 4, 5],
];

function* metricLines(comparison: RunComparison, style: TableStyle): Generator<string> {
  const { compared, withheld, unmatched } = listMetrics(comparison);
  yield* comparedLines(compared, style);
  if (withheld.length > 0 || unmatched.length > 0) yield '';
  for (const [what, names] of [
    ['not comparable', withheld],
    ['no value in both runs', unmatched],
  ] as const) {
    if (names.length === 0) continue;
    const { mark, tone } = MARKS['not comparable'];
    yield* markedLines('  ', mark, tone, sanitizeLine(`${what}: ${names.join(', ')}`), style);
  }
}

function* comparedLines(metrics: ListedMetrics['compared'], style: TableStyle): Generator<string> {
  if (metrics.length === 0) return;
  const rows = metrics.map(([name, metric]) => metricCells(sanitizeLine(name), metric));
  const columns = METRIC_HEADINGS.map((heading, index) =>
    Math.min(index === 1 ? 32 : 40, Math.max(width(heading), ...rows.map((row) => width(row[index] ?? '')))),
  );
  const shown = COLUMN_SETS.find(
    (set) => set.reduce((sum, at) => sum + 2 + (columns[at] ?? 0), INDENT - 2) <= style.columns,
  ) ?? [1, 4];
  const toLine = (cells: readonly string[]) =>
    shown
      .map((at) => (at === 1 ? padEnd : padStart)(truncate(cells[at] ?? '', columns[at] ?? 0), columns[at] ?? 0))
      .join('  ');
  yield '';
  yield style.paint(truncate(`${' '.repeat(INDENT)}${toLine(METRIC_HEADINGS)}`, style.columns), 'quiet');
  let above: ComparedMetric['conclusion'] | null = null;
  for (const [index, [, metric]] of metrics.entries()) {
    const { mark, tone } = MARKS[metric.conclusion];
    if (metric.conclusion !== above) yield `  ${style.paint(`${mark} ${metric.conclusion}`, tone)}`;
    above = metric.conclusion;
    yield `${' '.repeat(INDENT)}${truncate(toLine(rows[index] ?? []), style.columns - INDENT).trimEnd()}`;
    if (style.verbose) yield* quietLines(' '.repeat(INDENT + 2), sanitizeLine(metric.reason), style);
  }
}

/** Of the rows below a conclusion. */
const INDENT = 4;

function* leaderboardLines({ leaderboard, runs }: RunComparison, style: TableStyle): Generator<string> {
  const figures = Object.entries(leaderboard ?? {});
  for (const [name, { standings, best, unit, lowerIsBetter, reason }] of figures) {
    if (standings.length === 0) continue;
    yield '';
    const direction = lowerIsBetter ? 'lower is better' : 'higher is better';
    yield `${style.paint(sanitizeLine(name), 'strong')} ${style.paint(direction, 'quiet')}`;
    const labels = standings.map(({ run }) => sanitizeLine(runs[run]?.label ?? ''));
    const columns = Math.min(40, Math.max(0, ...labels.map(width)));
    for (const [index, { run, mean, ci95, rank, n }] of standings.entries()) {
      const mark = run === best ? style.paint(MARKS.better.mark, 'good') : ' ';
      const label = padEnd(truncate(labels[index] ?? '', columns), columns);
      const interval = formatInterval(ci95, unit, false);
      const facts = `${padStart(formatValue(mean, unit), 12)}  ${padEnd(interval, 24)}  ${pluralize(n, 'session')}`;
      yield `  ${mark} ${padEnd(rankText(rank), 4)} ${label}  ${facts}`;
    }
    yield* quietLines('    ', sanitizeLine(reason), style);
  }
  const unranked = Map.groupBy(
    figures.filter(([, { standings }]) => standings.length === 0),
    ([, { reason }]) => reason,
  );
  if (unranked.size > 0) yield '';
  for (const [reason, metrics] of unranked) {
    const names = metrics.map(([name]) => name).join(', ');
    yield* markedLines('', MARKS['not comparable'].mark, 'quiet', sanitizeLine(`${names}: ${reason}`), style);
  }
}

const SHOWN_NOISE = 5;

function* noiseLines({ noise }: RunComparison, style: TableStyle): Generator<string> {
  if (!noise || noise.sessions.length === 0) return;
  yield '';
  const what = `${noise.sessions.length} of ${pluralize(noise.unchanged, 'unchanged session')} got other scores. They count as no difference.`;
  yield `${style.paint('Judge noise', 'strong')} ${style.paint(what, 'quiet')}`;
  for (const [name, { sessions, changed, meanChange }] of Object.entries(noise.metrics)) {
    if (changed === 0) continue;
    yield* quietLines(
      '  ',
      `${sanitizeLine(name)}: ${changed} of ${sessions} changed, by ${meanChange.toFixed(2)} on average over all`,
      style,
    );
  }
  const shown = style.verbose ? noise.sessions : noise.sessions.slice(0, SHOWN_NOISE);
  for (const { after, scores } of shown) {
    const changes = Object.entries(scores).map(([name, [old, now]]) => `${name} ${old.toFixed(2)} → ${now.toFixed(2)}`);
    yield* locationLines('  ', sanitizeLine(locationOf(after)), sanitizeLine(changes.join(', ')), style);
  }
  if (shown.length < noise.sessions.length) {
    yield* quietLines('  ', `${noise.sessions.length - shown.length} more: --verbose`, style);
  }
}

const SHOWN_TASKS = 5;

function* unpairedLines({ onlyIn, runs, pairing }: RunComparison, style: TableStyle): Generator<string> {
  const unpaired = onlyIn.filter(({ tasks }) => tasks.length > 0);
  if (unpaired.length > 0 || pairing.renamed.length > 0 || pairing.changed.length > 0) yield '';
  for (const { run, tasks } of unpaired) {
    const label = sanitizeLine(runs[run]?.label ?? '');
    const where = runs.length === 2 ? `Only in ${label}` : `${label}, not in every other run`;
    yield* nameLines(
      `${where}: ${pluralize(tasks.length, 'task')}`,
      tasks.map(({ task, sessions }) => task ?? sessions[0]?.id ?? ''),
      style,
    );
  }
  if (pairing.changed.length > 0) {
    yield* nameLines(`Changed, not compared: ${pluralize(pairing.changed.length, 'task')}`, pairing.changed, style);
  }
  if (pairing.renamed.length > 0) {
    const names = pairing.renamed.map(({ before, after }) => `${before} → ${after}`);
    yield* nameLines(`Renamed: ${pluralize(names.length, 'task')}`, names, style);
  }
}

function* nameLines(lead: string, names: readonly string[], style: TableStyle): Generator<string> {
  const list = limitList(names, style.verbose ? names.length : SHOWN_TASKS, sanitizeLine).join(', ');
  for (const line of wrap(`${lead} (${list})`, style.columns)) yield line;
}
