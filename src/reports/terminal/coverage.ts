import type { Report, ResultsByMetric } from '../../core/report.ts';
import { type Coverage, coverage, type Result, type Status } from '../../core/result.ts';
import { wrap } from '../text.ts';
import { LEGEND } from './figure.ts';
import { plural, type Style } from './style.ts';
import { unansweredLines } from './unanswered.ts';

const LEFT_OUT =
  'Of the turns, only scores below their thresholds are listed; --format json has all, each with its reason.';

export type MetricResultLists = ReadonlyMap<string, readonly Result[]>;

/** Whether something was to be scored, and nothing was: then a pass says nothing of it. */
export function isNothingScored({ scored, of }: Coverage): boolean {
  return scored === 0 && of > 0;
}

export function coverageOf(byMetric: MetricResultLists): Coverage {
  return coverage([...byMetric.values()].flat());
}

/** Results by metric, of turns where the metric looks at turns; a session's mean of them is not counted again. */
export function resultsByMetric(report: Report): MetricResultLists {
  const found = new Map<string, Result[]>();
  const add = (metrics: ResultsByMetric, without: ReadonlySet<string>) => {
    for (const [name, result] of Object.entries(metrics)) {
      if (result.implied || without.has(name)) continue;
      const known = found.get(name);
      if (known) known.push(result);
      else found.set(name, [result]);
    }
  };
  for (const { turns, metrics } of report.sessions) {
    const ofTurns = new Set<string>();
    for (const turn of turns) {
      add(turn.metrics, new Set());
      for (const name of Object.keys(turn.metrics)) ofTurns.add(name);
    }
    add(metrics, ofTurns);
  }
  for (const { metrics } of report.scenarios) add(metrics, new Set());
  add(report.metrics, new Set());
  return found;
}

/** How many of the results were scored, and which ones were not: why, and how to have them answered. */
export function* coverageLines(report: Report, byMetric: MetricResultLists, style: Style): Generator<string> {
  const covered = coverageOf(byMetric);
  const { scored, of } = covered;
  yield '';
  const share = of === 0 ? '' : ` (${Math.floor((100 * scored) / of)}%)`;
  const nothing = isNothingScored(covered) ? ': nothing was scored' : '';
  yield `${style.paint('Coverage', 'strong')}  ${scored} of ${plural(of, 'result')} scored${share}${nothing}`;
  const isJudged = (results: readonly Result[]) => results.some(({ judge }) => judge !== undefined);
  if ([...byMetric.values()].some(isJudged))
    for (const line of wrap(LEFT_OUT, style.columns - 4)) yield `    ${style.paint(line, 'quiet')}`;
  const { undecided } = report;
  yield* unansweredLines('error', byMetric, undecided, style);
  yield* unansweredLines('cancelled', byMetric, undecided, style);
  // With a judge, what still needs one says itself why.
  if (report.run.judge) yield* unansweredLines('needs_judge', byMetric, [], style);
  for (const ask of asks(report)) {
    const metrics = [...byMetric].filter(([, results]) => results.some(({ status }) => status === ask.status));
    yield* askLines(
      ask,
      metrics.map(([name]) => name),
      style,
    );
  }
  if (style.terminal) yield* legendLine(style);
}

interface Ask {
  readonly status: Status;
  readonly what: string;
  readonly how: string;
}

const NO_JUDGE =
  '--judge ollama:MODEL or openai:MODEL asks a model; scores that a trace carries are taken as they are.';
const asks = ({ run }: Report): readonly Ask[] => [
  ...(run.judge ? [] : [{ status: 'needs_judge', what: 'a judge', how: NO_JUDGE } as const]),
  { status: 'needs_embedder', what: 'an embedder', how: '--embedder lexical compares texts by their words.' },
  {
    status: 'needs_reference',
    what: 'a reference',
    how: 'Evaluate the trace together with its evaluation set, or put `reference` into it.',
  },
];

function* askLines({ what, how }: Ask, metrics: readonly string[], style: Style): Generator<string> {
  if (metrics.length === 0) return;
  const needs = metrics.length === 1 ? 'needs' : 'need';
  const names = style.terminal ? `: ${metrics.join(', ')}` : '';
  const lines = wrap(`${plural(metrics.length, 'metric')} ${needs} ${what}${names}.`, style.columns - 4);
  for (const [index, line] of lines.entries()) {
    yield `  ${index === 0 ? style.paint('?', 'doubtful') : ' '} ${line}`;
  }
  for (const line of wrap(how, style.columns - 4)) yield `    ${style.paint(line, 'quiet')}`;
}

/** What the marks between the scores mean, as far as they occur. */
function* legendLine(style: Style): Generator<string> {
  const marks = LEGEND.filter(({ statuses }) => statuses.some((status) => style.shown.has(status)));
  if (marks.length === 0) return;
  yield '';
  for (const line of wrap(marks.map(({ text }) => text).join(' · '), style.columns)) yield style.paint(line, 'quiet');
}
