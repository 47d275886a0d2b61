import { sessionLine } from '../../core/session-line.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { taskText } from '../../core/text/task-text.ts';
import { summarizeHeadlines } from '../../report-model/headline-counts.ts';
import { metricResult, SESSION_RISK } from '../../report-model/metric-results.ts';
import { riskLevel } from '../../report-model/risk-level.ts';
import { contradictingOutcome } from '../../report-model/session-headline.ts';
import type { PointerLineLocator } from '../report-writer.ts';
import { sanitizeLine, width, wrap } from '../terminal-text.ts';
import { quietLines } from './layout.ts';
import { containsId, formatLocation, locateEvidence } from './locations.ts';
import { problemLines } from './problems.ts';
import { lowScoreLines, sessionDetailLines } from './session-details.ts';
import type { SessionSummary } from './session-summary.ts';
import { HEADLINE_STYLE, type TableStyle } from './style.ts';

/** Limit of the sessions that are listed, and of those that are listed with their problems. */
const LISTED = 60;
const WITH_PROBLEMS = 20;
/** Limit of the problems of a session; of the only session there are more. */
const PROBLEMS = 3;
const PROBLEMS_OF_ONE = 20;

/** A headline for each session, and below it its worst problems. With `verbose`, all that is known of each. */
export function* sessionsLines(
  views: readonly SessionSummary[],
  style: TableStyle,
  locator: PointerLineLocator | undefined,
): Generator<string> {
  const shown = style.verbose ? views : views.slice(0, LISTED);
  const locate = style.verbose
    ? locateEvidence(
        shown.map(({ report }) => report),
        locator,
      )
    : () => () => null;
  const limit = views.length === 1 ? PROBLEMS_OF_ONE : PROBLEMS;
  let isPreviousLong = true;
  for (const [index, view] of shown.entries()) {
    const below = [
      ...(style.verbose
        ? sessionDetailLines(view, locate(view.report), style)
        : index < WITH_PROBLEMS
          ? briefLines(view, limit, style)
          : []),
    ];
    if (isPreviousLong || below.length > 0) yield '';
    isPreviousLong = below.length > 0;
    yield* headlineLines(view, style);
    yield* below;
  }
  const left = views.slice(shown.length);
  if (left.length === 0) return;
  yield '';
  const counts = summarizeHeadlines(left.map(({ report }) => report));
  yield* quietLines('', `and ${counts.replace(/^(\d+) /, '$1 more ')}; --verbose lists them`, style);
}

/**
 * `✗ Failed: refund claimed after an error (turn 2)  traces/refund.json:3 · conv_42 · risk High`.
 *
 * @param extra what else is to be noted.
 */
export function* headlineLines(
  view: Pick<SessionSummary, 'report'>,
  style: TableStyle,
  extra: readonly string[] = [],
): Generator<string> {
  const { headline } = view.report;
  const { mark, tone } = HEADLINE_STYLE[headline.kind];
  const lines = wrap(sanitizeLine(headline.text), style.columns - 2);
  const { location, note } = sessionName(view, extra);
  const name = `${location}${style.paint(note, 'quiet')}`;
  const isShort = lines.length === 1 && 2 + width(lines[0] ?? '') + 2 + width(location + note) <= style.columns;
  for (const [index, line] of lines.entries()) {
    const start = index === 0 ? `${style.paint(mark, tone)} ` : '  ';
    yield `${start}${style.paint(line, tone === 'normal' ? 'strong' : tone)}${isShort ? `  ${name}` : ''}`;
  }
  if (isShort) return;
  if (2 + width(location + note) <= style.columns) {
    yield `  ${name}`;
    return;
  }
  yield `  ${location}`;
  yield* quietLines('  ', note.replace(/^ · /, ''), style);
}

/** Its location, and behind it the number of its files, its id, if the path does not contain it, and its risk. A success has no risk to rank by. */
function sessionName(
  { report }: Pick<SessionSummary, 'report'>,
  extra: readonly string[],
): { readonly location: string; readonly note: string } {
  const { id, source, task, turns, headline, metrics } = report;
  const location = formatLocation(source.file, sessionLine(report));
  const name = sanitizeLine(id);
  const risk = headline.kind === 'succeeded' ? null : riskLevel(metricResult(metrics, SESSION_RISK));
  const files = new Set(turns.map(({ file = source.file }) => file)).size;
  const contradiction = contradictingOutcome(report);
  const parts = [
    ...(contradiction === null ? [] : [sanitizeLine(contradiction)]),
    ...(files > 1 ? [`turns of ${files} files`] : []),
    ...(name === '' || containsId(location, name) ? [] : [name]),
    ...(task === null || [location, name].some((text) => containsId(text, sanitizeLine(task.id)))
      ? []
      : [sanitizeLine(taskText(task))]),
    ...(risk ? [`risk ${RISK_TEXT[risk]}`] : []),
    ...extra,
  ];
  return { location, note: parts.map((part) => ` · ${part}`).join('') };
}

const RISK_TEXT = { low: 'Low', elevated: 'Elevated', high: 'High' } as const;

function* briefLines(
  { problems, shared, report }: SessionSummary,
  limit: number,
  style: TableStyle,
): Generator<string> {
  const own = problems.filter((problem) => !shared.has(problem));
  for (const problem of own.slice(0, limit)) yield* problemLines('    ', problem, style);
  yield* lowScoreLines(report, style);
  const left = own.length - limit;
  const others = problems.length - own.length;
  const notes = [
    ...(left > 0 ? [`and ${pluralize(left, 'more problem')}; --verbose shows all`] : []),
    ...(others > 0 ? [`${pluralize(others, 'problem')} that other sessions have too: see below`] : []),
  ];
  for (const note of notes) yield* quietLines('  ', note, style);
}
