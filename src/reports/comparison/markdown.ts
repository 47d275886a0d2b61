import type { RunComparison } from '../../core/run-comparison.ts';
import { escapeMarkup } from '../../core/text/escape-markdown.ts';
import { limitList } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { comparisonHeadline } from '../../runs/compare/comparison-headline.ts';
import { formatInterval, formatValue } from '../../runs/compare/figures.ts';
import { unchangedText } from '../../runs/compare/flips.ts';
import { sanitizeLine } from '../terminal-text.ts';
import {
  attemptsText,
  flipCounts,
  headlineLead,
  listMetrics,
  locationOf,
  METRIC_HEADINGS,
  metricCells,
  nameOf,
  rankText,
  runFacts,
  standingOf,
} from './summary.ts';

const SHOWN_FLIPS = 30;
const SHOWN_TASKS = 20;
const SHOWN_METRICS = 6;

/** A comparison for a pull request or a wiki. */
export function* comparisonMarkdown(comparison: RunComparison): Generator<string> {
  for (const line of lines(comparison)) yield `${line}\n`;
}

function* lines(comparison: RunComparison): Generator<string> {
  const { runs, comparability, flips, changedSessions, noise, onlyIn, leaderboard } = comparison;
  const headline = comparisonHeadline(comparison);
  const headlineWords = headlineLead(headline);
  const lead = headlineWords === '' ? '' : `**${text(headlineWords)}**: `;
  yield `## Comparison of ${runs.map(({ label }) => text(label)).join(' and ')}`;
  yield '';
  yield `${lead}${text(headline.text)}${headline.next === null ? '' : ` ${text(headline.next)}`}`;
  yield '';
  for (const [index, run] of runs.entries()) {
    const role = runs.length > 2 ? `${index + 1}` : index === 0 ? 'before' : 'after';
    yield `- ${role}: **${text(run.label)}** (${text(runFacts(run))})`;
  }
  if (comparability.length > 0) {
    yield* section('Comparability');
    for (const { withholds, reason, remedy } of comparability) {
      const what =
        withholds === 'all'
          ? 'Nothing is compared.'
          : `Not compared: ${limitList(withholds, SHOWN_METRICS, text).join(', ')}.`;
      yield `- ${text(reason)}${withholds.length === 0 ? '' : ` ${what}`}${remedy === null ? '' : ` ${text(remedy)}`}`;
    }
  }
  const unchanged = unchangedText(comparison);
  if (unchanged !== null) yield* section(unchanged.replace(/[.]$/, ''));
  if (flips.length > 0) {
    yield* section(`Flips: ${flipCounts(flips)}`);
    for (const flip of flips.slice(0, SHOWN_FLIPS)) {
      const attempts = attemptsText(flip);
      const name = text(flip.task ?? flip.after.id);
      const where = `${text(locationOf(flip.before))} → ${text(locationOf(flip.after))}`;
      yield `- **${flip.direction}** ${name}${attempts === '' ? '' : ` (${attempts})`}: ${text(flip.after.headline.text)}; before: ${text(flip.before.headline.text)}; ${where}`;
    }
    if (flips.length > SHOWN_FLIPS) yield `- and ${flips.length - SHOWN_FLIPS} more`;
  }
  if (changedSessions.length > 0) {
    yield* section(`Different in the runs: ${pluralize(changedSessions.length, 'session')}`);
    yield* table(
      ['Session', ...runs.map(({ label }) => text(label))],
      changedSessions
        .slice(0, SHOWN_FLIPS)
        .map((changed) => [text(nameOf(changed)), ...changed.sessions.map(standingOf)]),
    );
    if (changedSessions.length > SHOWN_FLIPS) yield `\nand ${changedSessions.length - SHOWN_FLIPS} more`;
  }
  const { compared, withheld, unmatched } = listMetrics(comparison);
  if (compared.length + withheld.length + unmatched.length > 0) yield* section('Metrics');
  if (compared.length > 0) {
    yield* table(
      METRIC_HEADINGS,
      compared.map(([name, one]) => metricCells(text(name), one)),
    );
    yield '';
  }
  if (withheld.length > 0) yield `Not comparable: ${withheld.map(text).join(', ')}`;
  if (withheld.length > 0 && unmatched.length > 0) yield '';
  if (unmatched.length > 0) yield `No value in both runs: ${unmatched.map(text).join(', ')}`;
  for (const [name, { standings, best, unit, lowerIsBetter, reason }] of Object.entries(leaderboard ?? {})) {
    yield* section(`${text(name)}, ${lowerIsBetter ? 'lower' : 'higher'} is better`);
    const rows = standings.map(({ run, mean, ci95, rank, n }) => [
      rankText(rank),
      `${text(runs[run]?.label ?? '')}${run === best ? ' (best)' : ''}`,
      formatValue(mean, unit),
      formatInterval(ci95, unit, false),
      String(n),
    ]);
    if (rows.length > 0) yield* table(['Rank', 'Run', 'Mean', '95 % interval', 'Sessions'], rows);
    yield '';
    yield text(reason);
  }
  if (noise && noise.sessions.length > 0) {
    yield* section('Judge noise');
    yield `${noise.sessions.length} of ${pluralize(noise.unchanged, 'unchanged session')} got other scores. They count as no difference.`;
  }
  const unpaired = onlyIn.filter(({ tasks }) => tasks.length > 0);
  if (unpaired.length > 0) yield* section('Not in both');
  for (const { run, tasks } of unpaired) {
    const names = tasks.map(({ task, sessions }) => text(task ?? sessions[0]?.id ?? ''));
    yield `- ${text(runs[run]?.label ?? '')}: ${pluralize(tasks.length, 'task')} (${limitList(names, SHOWN_TASKS).join(', ')})`;
  }
}

function* section(title: string): Generator<string> {
  yield '';
  yield `### ${title}`;
  yield '';
}

function* table(headings: readonly string[], rows: readonly (readonly string[])[]): Generator<string> {
  yield `| ${headings.join(' | ')} |`;
  yield `|${headings.map(() => ' --- |').join('')}`;
  for (const row of rows) yield `| ${row.join(' | ')} |`;
}

/** Names, reasons and headlines contain text of traces. */
function text(value: string): string {
  return escapeMarkup(sanitizeLine(value));
}
