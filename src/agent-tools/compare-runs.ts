import type { ComparedMetric, Flip, PairedSession, RunComparison } from '../core/run-comparison.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { placeText, quoted, quotedName, ruleName } from '../reports/agent-text.ts';
import { flipCounts, listMetrics } from '../reports/comparison/summary.ts';
import { compareRuns as compare } from '../runs/compare/compare-runs.ts';
import { comparisonHeadline } from '../runs/compare/comparison-headline.ts';
import { formatDifference, formatInterval, formatValue } from '../runs/compare/figures.ts';
import { defineTool, RUN_ARG } from './tool.ts';

export const compareRuns = defineTool({
  name: 'compare_runs',
  title: 'Compare Runs',
  description:
    'Compares two runs: whether they can be compared, which metrics are better or worse beyond chance (with intervals and numbers of pairs), and which sessions now fail or pass, with file:line.',
  args: {
    before: RUN_ARG.default('last~1').describe(
      'The run to compare with, as for "run" of other tools (default "last~1").',
    ),
    after: RUN_ARG.describe('The newer run (default "last").'),
  },
  async answer({ before, after }, { runs }) {
    const opened = [await runs.open(before), await runs.open(after)];
    const [first = '', second = ''] = opened.map(({ reference }) => reference);
    const comparison = compare(opened.map(({ recorded }) => recorded));
    const { conclusion, text, next } = comparisonHeadline(comparison);
    const { tasks, sessions } = comparison.pairing;
    const flips =
      comparison.flips.length === 0 ? 'no session changed its verdict' : `sessions: ${flipCounts(comparison.flips)}`;
    return {
      head: `run ${second} against run ${first}: ${conclusion ?? 'better or worse by metric'}. ${pluralize(tasks, 'task')} and ${pluralize(sessions, 'pair')} of sessions in both; ${flips}.`,
      items: [
        () => `summary: ${quoted(text)}${next === null ? '' : ` To do: ${quoted(next)}`}`,
        ...noteLines(comparison),
        ...comparison.flips.map((flip) => () => flipText(flip)),
        ...metricLines(comparison),
        ...onlyInLines(comparison, [first, second]),
      ],
      nothing: '',
      key: [first, second],
      again: { before: first, after: second },
    };
  },
});

type Line = () => string;

function noteLines({ comparability }: RunComparison): Line[] {
  return comparability.map(({ reason, remedy, withholds }) => () => {
    const what =
      withholds === 'all'
        ? 'nothing is compared'
        : withholds.length > 0
          ? `${pluralize(withholds.length, 'metric')} not compared`
          : 'note';
    return `${what}: ${quoted(reason)}${remedy === null ? '' : ` To do: ${quoted(remedy)}`}`;
  });
}

function flipText({ task, direction, before, after, attempts }: Flip): string {
  const of = attempts
    ? ` (attempts: ${attempts.before.correct} of ${attempts.before.of} before, ${attempts.after.correct} of ${attempts.after.of} after)`
    : '';
  return `${direction}: ${quotedName(task ?? after.id)}${of}: ${sideText(before)} before, ${sideText(after)} after`;
}

function sideText({ file, line, headline }: PairedSession): string {
  return `${headline.kind} at ${placeText(file, line)} ${quotedName(headline.text)}`;
}

function metricLines(comparison: RunComparison): Line[] {
  const { compared, withheld, unmatched } = listMetrics(comparison);
  const names = (list: readonly string[]) => list.slice(0, MAX_NAMES).map(ruleName).join(', ');
  return [
    ...compared.map(
      ([name, metric]) =>
        () =>
          `metric ${ruleName(name)}: ${metricText(metric)}`,
    ),
    ...(withheld.length === 0 ? [] : [() => `not comparable, ${withheld.length}: ${names(withheld)}`]),
    ...(unmatched.length === 0 ? [] : [() => `without a value in both runs, ${unmatched.length}: ${names(unmatched)}`]),
  ];
}

const MAX_NAMES = 5;

function metricText({
  conclusion,
  before,
  after,
  difference,
  ci95,
  unit,
  pairs,
  lowerIsBetter,
}: ComparedMetric): string {
  const means =
    before && after ? `, ${formatValue(before.mean, unit)} before, ${formatValue(after.mean, unit)} after` : '';
  const by = difference === null ? '' : `, difference ${formatDifference(difference, unit)}`;
  const interval = ci95 ? ` (95 % ${formatInterval(ci95, unit, true)})` : '';
  return `${conclusion}${means}${by}${interval}, ${pluralize(pairs, 'pair')}${lowerIsBetter ? ', lower is better' : ''}`;
}

function onlyInLines({ onlyIn }: RunComparison, references: readonly string[]): Line[] {
  return onlyIn.flatMap(({ run, tasks }) =>
    tasks.map(({ task, sessions: [first, ...others] }) => () => {
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      const where = first ? ` at ${placeText(first.file, first.line)}${more}` : '';
      return `only in run ${references[run] ?? ''}: ${quotedName(task ?? first?.id ?? '')}${where}`;
    }),
  );
}
