import type { Report } from '../../core/report.ts';
import type { Result, Status } from '../../core/result.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { isNothingScored, type MetricResultLists, totalCoverage } from '../../report-model/run-coverage.ts';
import { wrap } from '../terminal-text.ts';
import { missingResultLines } from './missing-results.ts';
import { LEGEND } from './score-text.ts';
import type { TableStyle } from './style.ts';

const TURN_SCORES_NOTE =
  'Turns list only scores below their thresholds; --format json has all scores with their reasons.';

/** How many results were scored, and for the others why not and what to do. */
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
  // With a judge, a result that still needs one gives its own reason.
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

const NO_JUDGE = 'Configure one with --judge ollama:MODEL or --judge openai:MODEL.';
const requirementHints = ({ run }: Report): readonly RequirementHint[] => [
  ...(run.judge ? [] : [{ status: 'needs_judge', requirement: 'a judge', remedy: NO_JUDGE } as const]),
  {
    status: 'needs_embedder',
    requirement: 'an embedder',
    remedy: 'Configure one: --embedder lexical compares texts by their words.',
  },
  {
    status: 'needs_reference',
    requirement: 'a reference',
    remedy: 'Evaluate the trace together with its evaluation set, or add `reference` to the trace.',
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

/** Explains the marks that occur. */
function* legendLine(style: TableStyle): Generator<string> {
  const marks = LEGEND.filter(({ statuses }) => statuses.some((status) => style.statusesShown.has(status)));
  if (marks.length === 0) return;
  yield '';
  for (const line of wrap(marks.map(({ text }) => text).join(' · '), style.columns)) yield style.paint(line, 'quiet');
}
