import type { Report, ResultsByMetric } from '../../core/report.ts';
import { type Coverage, coverage, type Result, type Status } from '../../core/result.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { wrap } from '../terminal-text.ts';
import { missingResultLines } from './missing-results.ts';
import { LEGEND } from './score-text.ts';
import type { TableStyle } from './style.ts';

const TURN_SCORES_NOTE =
  'Of the turns, only scores below their thresholds are listed; --format json has all, each with its reason.';

export type MetricResultLists = ReadonlyMap<string, readonly Result[]>;

/** Whether something was to be scored, and nothing was: then a pass says nothing of it. */
export function isNothingScored({ scored, of }: Coverage): boolean {
  return scored === 0 && of > 0;
}

export function totalCoverage(byMetric: MetricResultLists): Coverage {
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
export function* coverageLines(report: Report, byMetric: MetricResultLists, style: TableStyle): Generator<string> {
  const covered = totalCoverage(byMetric);
  const { scored, of } = covered;
  yield '';
  const share = of === 0 ? '' : ` (${Math.floor((100 * scored) / of)}%)`;
  const nothing = isNothingScored(covered) ? ': nothing was scored' : '';
  yield `${style.paint('Coverage', 'strong')}  ${scored} of ${pluralize(of, 'result')} scored${share}${nothing}`;
  const isJudged = (results: readonly Result[]) => results.some(({ judge }) => judge !== undefined);
  if ([...byMetric.values()].some(isJudged))
    for (const line of wrap(TURN_SCORES_NOTE, style.columns - 4)) yield `    ${style.paint(line, 'quiet')}`;
  const { undecided } = report;
  yield* missingResultLines('error', byMetric, undecided, style);
  yield* missingResultLines('cancelled', byMetric, undecided, style);
  // With a judge, what still needs one says itself why.
  if (report.run.judge) yield* missingResultLines('needs_judge', byMetric, [], style);
  for (const ask of requirementHints(report)) {
    const metrics = [...byMetric].filter(([, results]) => results.some(({ status }) => status === ask.status));
    yield* requirementLines(
      ask,
      metrics.map(([name]) => name),
      style,
    );
  }
  if (style.terminal) yield* legendLine(style);
}

interface RequirementHint {
  readonly status: Status;
  readonly requirement: string;
  readonly remedy: string;
}

const NO_JUDGE =
  '--judge ollama:MODEL or openai:MODEL asks a model; scores that a trace carries are taken as they are.';
const requirementHints = ({ run }: Report): readonly RequirementHint[] => [
  ...(run.judge ? [] : [{ status: 'needs_judge', requirement: 'a judge', remedy: NO_JUDGE } as const]),
  { status: 'needs_embedder', requirement: 'an embedder', remedy: '--embedder lexical compares texts by their words.' },
  {
    status: 'needs_reference',
    requirement: 'a reference',
    remedy: 'Evaluate the trace together with its evaluation set, or put `reference` into it.',
  },
];

function* requirementLines(
  { requirement: what, remedy: how }: RequirementHint,
  metrics: readonly string[],
  style: TableStyle,
): Generator<string> {
  if (metrics.length === 0) return;
  const needs = metrics.length === 1 ? 'needs' : 'need';
  const names = style.terminal ? `: ${metrics.join(', ')}` : '';
  const lines = wrap(`${pluralize(metrics.length, 'metric')} ${needs} ${what}${names}.`, style.columns - 4);
  for (const [index, line] of lines.entries()) {
    yield `  ${index === 0 ? style.paint('?', 'doubtful') : ' '} ${line}`;
  }
  for (const line of wrap(how, style.columns - 4)) yield `    ${style.paint(line, 'quiet')}`;
}

/** What the marks between the scores mean, as far as they occur. */
function* legendLine(style: TableStyle): Generator<string> {
  const marks = LEGEND.filter(({ statuses }) => statuses.some((status) => style.statusesShown.has(status)));
  if (marks.length === 0) return;
  yield '';
  for (const line of wrap(marks.map(({ text }) => text).join(' · '), style.columns)) yield style.paint(line, 'quiet');
}
