import type {
  FailureGroup,
  Observation,
  ProblemOccurrence,
  Report,
  SuppressedFinding,
  TraceLocation,
} from '../../core/report.ts';
import { isAtLeast } from '../../core/severity.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { locationLines, markedLines, quietLines, reasonLines } from './layout.ts';
import { containsId, formatLocation } from './locations.ts';
import { sharedGroups } from './session-summary.ts';
import type { TableStyle } from './style.ts';

const GROUPS = 10;
/** Limit of the listed occurrences of a group. */
const OCCURRENCES = 3;
/** Limit of the lines of a reason. */
const REASON_LINES = 2;

/** A problem: location, turn, severity and what found it; below it the reason; with `verbose`, all of its evidence. */
export function* problemLines(indent: string, problem: ProblemOccurrence, style: TableStyle): Generator<string> {
  const { file, line, turn, severity, reason } = problem;
  const note = `turn ${turn + 1} · ${severity} · ${problemName(problem)}`;
  yield* locationLines(indent, formatLocation(file, line), note, style);
  yield* reasonLines(
    `${indent}  `,
    sanitizeLine(reason),
    style.verbose ? Number.POSITIVE_INFINITY : REASON_LINES,
    style,
  );
  if (style.verbose) yield* evidenceLines(`${indent}  `, problem, style);
}

/** The rule that found it, else the label that a judge gave. */
function problemName({ rule, label }: ProblemOccurrence): string {
  return sanitizeLine(rule ?? label);
}

function* evidenceLines(
  indent: string,
  { evidence }: Pick<TraceLocation, 'evidence'>,
  style: TableStyle,
): Generator<string> {
  for (const { file, line, note } of evidence.slice(1))
    yield* locationLines(indent, formatLocation(file, line), sanitizeLine(note), style);
}

/** Problems that several sessions have, the most severe first. */
export function* sharedProblemLines(report: Report, style: TableStyle): Generator<string> {
  const groups = sharedGroups(report);
  if (groups.length === 0) return;
  yield '';
  yield style.paint('Problems of several sessions', 'strong');
  const shown = style.verbose ? groups : groups.slice(0, GROUPS);
  for (const group of shown) yield* groupLines(group, style);
  const left = groups.slice(shown.length);
  if (left.length > 0)
    yield* quietLines('  ', `and ${pluralize(left.length, 'more kind')}; --verbose shows all`, style);
}

function* groupLines(
  { severity, label, title, explanation, occurrences }: FailureGroup,
  style: TableStyle,
): Generator<string> {
  const sessions = new Set(occurrences.map(({ session }) => session)).size;
  const times = occurrences.length === sessions ? '' : `${pluralize(occurrences.length, 'time')} in `;
  const names = [...new Set([sanitizeLine(title), ...occurrences.map(problemName)])];
  const text = [names.slice(0, 4).join(' · '), severity, `${times}${pluralize(sessions, 'session')}`].join(' · ');
  const isSevere = isAtLeast(severity, 'high');
  yield* markedLines('  ', isSevere ? '✗' : '!', isSevere ? 'bad' : 'doubtful', text, style);
  if (isMerged(occurrences)) yield* reasonLines('    ', sanitizeLine(explanation), REASON_LINES, style);
  const shown = style.verbose ? occurrences : occurrences.slice(0, OCCURRENCES);
  for (const [index, occurrence] of shown.entries()) {
    const { file, line, session, turn, reason } = occurrence;
    const location = formatLocation(file, line);
    const own = occurrence.label === label ? [] : [sanitizeLine(occurrence.label)];
    const id = sanitizeLine(session);
    const note = [`turn ${turn + 1}`, ...(id === '' || containsId(location, id) ? [] : [id]), ...own].join(' · ');
    yield* locationLines('    ', location, note, style);
    // One example says what the others repeat.
    if (index === 0 || style.verbose)
      yield* reasonLines(
        '      ',
        sanitizeLine(reason),
        style.verbose ? Number.POSITIVE_INFINITY : REASON_LINES,
        style,
      );
    if (style.verbose) yield* evidenceLines('      ', occurrence, style);
  }
  const left = occurrences.length - shown.length;
  if (left > 0) yield* quietLines('    ', `and ${left} more`, style);
}

/** Whether a judge merged problems of different kinds: then the explanation is their common cause. */
function isMerged(occurrences: FailureGroup['occurrences']): boolean {
  return new Set(occurrences.map((one) => `${one.rule} ${one.label}`)).size > 1;
}

/** Observations by rule, the rare ones first: they say more than those of every session. */
export function* observationLines(observations: readonly Observation[], style: TableStyle): Generator<string> {
  if (observations.length === 0) return;
  yield '';
  yield style.paint('Observations', 'strong');
  const kinds = [...Map.groupBy(observations, ({ rule }) => rule).values()].sort((a, b) => a.length - b.length);
  for (const found of kinds) {
    const [first] = found;
    if (!first) continue;
    const count = found.length > 1 ? ` · ${found.length}×` : '';
    yield* markedLines(
      '  ',
      '·',
      'normal',
      `${sanitizeLine(first.title)}${count} · ${sanitizeLine(first.rule)}`,
      style,
    );
    for (const observation of found) yield* findingLines(observation, observation.reason, style);
  }
}

/** Suppressed findings do not count, but stay visible. */
export function* suppressedLines(suppressed: readonly SuppressedFinding[], style: TableStyle): Generator<string> {
  if (suppressed.length === 0) return;
  yield '';
  if (!style.verbose) {
    const text = `${pluralize(suppressed.length, 'finding')} suppressed with a reason; --verbose shows them`;
    yield* quietLines('', text, style);
    return;
  }
  yield style.paint('Suppressed', 'strong');
  for (const one of suppressed) {
    yield* findingLines(one, `${one.rule}: ${one.finding}`, style);
    yield* quietLines('      ', `suppressed: ${sanitizeLine(one.reason)}`, style);
  }
}

function* findingLines(location: TraceLocation, text: string, style: TableStyle): Generator<string> {
  const { file, line, session, turn } = location;
  const place = formatLocation(file, line);
  const id = sanitizeLine(session);
  const note = id === '' || containsId(place, id) ? `turn ${turn + 1}` : `turn ${turn + 1} · ${id}`;
  yield* locationLines('    ', place, note, style);
  yield* reasonLines('      ', sanitizeLine(text), Number.POSITIVE_INFINITY, style);
  yield* evidenceLines('      ', location, style);
}
