import type { FailureGroup, Observation, ProblemOccurrence, SuppressedFinding } from '../../core/report.ts';
import type { Severity } from '../../core/severity.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { sanitizeLine, width, wrap } from '../terminal-text.ts';
import { formatLocation } from './locations.ts';
import { containsId } from './session.ts';
import type { TableStyle, TextTone } from './style.ts';

/** Limits of the listed occurrences. A pipe gets more, since programs read it. */
const OCCURRENCES = { terminal: 3, pipe: 20 } as const;
const SUPPRESSED = { terminal: 5, pipe: 50 } as const;
const OBSERVATIONS = { terminal: 1, pipe: 3 } as const;
const GROUPS = 20;
/** Limit of the evidence listed after the first. */
const MAX_FURTHER_EVIDENCE = 4;

type OccurrenceText = Pick<ProblemOccurrence, 'file' | 'line' | 'session' | 'turn' | 'evidence'> & {
  /** Null if it was printed before. */
  readonly reason: string | null;
  /** Its own label, if it differs from the label of its group. */
  readonly label?: string | undefined;
};

const TONES: Readonly<Record<Severity, TextTone>> = { critical: 'bad', high: 'bad', medium: 'doubtful', low: 'normal' };

/** Groups of failures, the most severe first, with the locations of their evidence. */
export function* failureLines(groups: readonly FailureGroup[], style: TableStyle): Generator<string> {
  if (groups.length === 0) return;
  yield '';
  yield style.paint('Failures', 'strong');
  for (const group of groups.slice(0, GROUPS)) yield* groupLines(group, style);
  const left = groups.slice(GROUPS).reduce((sum, { count }) => sum + count, 0);
  if (left > 0) yield style.paint(`  and ${pluralize(left, 'more failure')}; --format json lists them`, 'quiet');
}

function* groupLines(group: FailureGroup, style: TableStyle): Generator<string> {
  const { severity, count } = group;
  const title = sanitizeLine(group.title);
  const label = sanitizeLine(group.label);
  const names = title.toLowerCase() === label.toLowerCase() ? [title] : [title, label];
  const text = [...names, severity, ...(count > 1 ? [`${count}×`] : []), ...detectedBy(group)].join(' · ');
  for (const [index, line] of wrap(text, style.columns - 4).entries()) {
    yield `  ${style.paint(`${index === 0 ? '✗' : ' '} ${line}`, TONES[severity])}`;
  }
  if (isMerged(group)) {
    for (const line of wrap(sanitizeLine(group.explanation), style.columns - 4))
      yield `    ${style.paint(line, 'quiet')}`;
  }
  const limit = style.terminal ? OCCURRENCES.terminal : OCCURRENCES.pipe;
  for (const occurrence of group.occurrences.slice(0, limit)) {
    const reason = style.explainedFailures.has(occurrence) ? null : occurrence.reason;
    const own = occurrence.label === group.label ? undefined : occurrence.label;
    yield* occurrenceLines({ ...occurrence, reason, label: own }, style);
  }
  const left = group.occurrences.length - limit;
  if (left > 0) yield style.paint(`    and ${left} more`, 'quiet');
}

/** The rules that found the occurrences, and the judge if it found one of them. */
function detectedBy({ occurrences }: FailureGroup): string[] {
  const rules = [...new Set(occurrences.flatMap(({ rule }) => rule ?? []))].map(sanitizeLine);
  return occurrences.some(({ rule, metric }) => rule === null && metric !== null) ? [...rules, 'judge'] : rules;
}

/** Whether a judge merged the group. Its cause is then not the reason of any occurrence. */
function isMerged({ explanation, occurrences }: FailureGroup): boolean {
  const isOfRule = occurrences.every(({ rule }) => rule !== null && rule === occurrences[0]?.rule);
  return occurrences.length > 1 && !isOfRule && occurrences.every(({ reason }) => reason !== explanation);
}

/** Suppressed findings do not count, but stay visible. */
export function* suppressedLines(accepted: readonly SuppressedFinding[], style: TableStyle): Generator<string> {
  if (accepted.length === 0) return;
  yield '';
  yield style.paint('Suppressed', 'strong');
  const limit = style.terminal ? SUPPRESSED.terminal : SUPPRESSED.pipe;
  for (const { reason, finding, ...where } of accepted.slice(0, limit)) {
    yield* occurrenceLines({ ...where, reason: `${where.rule}: ${finding}` }, style);
    for (const text of wrap(`suppressed: ${sanitizeLine(reason)}`, style.columns - 6))
      yield `      ${style.paint(text, 'quiet')}`;
  }
  if (accepted.length > limit) yield style.paint(`    and ${accepted.length - limit} more`, 'quiet');
}

/** Observations by rule. */
export function* observationLines(observations: readonly Observation[], style: TableStyle): Generator<string> {
  if (observations.length === 0) return;
  yield '';
  yield style.paint('Observations', 'strong');
  const limit = style.terminal ? OBSERVATIONS.terminal : OBSERVATIONS.pipe;
  // Rare observations say more than those of every session.
  const kinds = [...Map.groupBy(observations, ({ rule }) => rule).values()].sort((a, b) => a.length - b.length);
  for (const kind of kinds) {
    const [first] = kind;
    if (!first) continue;
    const text = [
      sanitizeLine(first.title),
      ...(kind.length > 1 ? [`${kind.length}×`] : []),
      sanitizeLine(first.rule),
    ].join(' · ');
    yield `  · ${text}`;
    for (const observation of kind.slice(0, limit)) yield* occurrenceLines(observation, style);
    const left = kind.length - limit;
    if (left > 0) yield style.paint(`    and ${left} more; --format json lists them`, 'quiet');
  }
}

/** The location begins its line and is never cut, so that a terminal can link it. */
function* occurrenceLines(
  { file, line, session, turn, label, reason, evidence }: OccurrenceText,
  style: TableStyle,
): Generator<string> {
  const id = sanitizeLine(session);
  const whose = containsId(file, id) ? `turn ${turn + 1}` : `turn ${turn + 1} of ${id}`;
  const note = label === undefined ? whose : `${whose} · ${sanitizeLine(label)}`;
  yield* locationLines('    ', formatLocation(file, line), note, style);
  if (reason !== null) for (const text of wrap(sanitizeLine(reason), style.columns - 6)) yield `      ${text}`;
  for (const further of evidence.slice(1, 1 + MAX_FURTHER_EVIDENCE)) {
    yield* locationLines('      ', formatLocation(further.file, further.line), sanitizeLine(further.note), style);
  }
  const left = evidence.length - 1 - MAX_FURTHER_EVIDENCE;
  if (left > 0) yield style.paint(`      and ${pluralize(left, 'more location')}`, 'quiet');
}

/** A location and its note, on one line if there is room. */
function* locationLines(indent: string, location: string, note: string, style: TableStyle): Generator<string> {
  if (indent.length + width(location) + 2 + width(note) <= style.columns) {
    yield `${indent}${location}  ${style.paint(note, 'quiet')}`;
    return;
  }
  yield `${indent}${location}`;
  for (const text of wrap(note, style.columns - indent.length - 2)) yield `${indent}  ${style.paint(text, 'quiet')}`;
}
