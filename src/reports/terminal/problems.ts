import type { ProblemOccurrence, TurnReport } from '../../core/report.ts';
import { scoreCap } from '../../report-model/score-cap.ts';
import { formatScore } from '../../report-model/score-text.ts';
import { type Shortfall, shortfalls } from '../../report-model/shortfall.ts';
import { sanitizeLine, wrap } from '../terminal-text.ts';
import { type EvidenceLocation, formatLocation } from './locations.ts';
import { type ProblemItem, problemItemLines } from './problem-item.ts';
import type { SessionSummary } from './session-summary.ts';
import { shortfallText } from './shortfall.ts';
import type { TableStyle } from './style.ts';

/** How problems are printed. */
export interface ProblemListOptions {
  readonly provenAt: EvidenceLocation;
  readonly style: TableStyle;
  readonly indent: string;
  /** Limit of the problems that are printed with their reasons; the others are only named. */
  readonly limit: number;
}

/** The problems of a judged turn: its failures, then its scores below their thresholds. */
export function* turnProblems(view: SessionSummary, turn: TurnReport, how: ProblemListOptions): Generator<string> {
  const failures = view.failures.filter((failure) => failure.turn === turn.index);
  const listed = failures.slice(0, how.limit);
  for (const failure of listed) yield* failureItem(failure, how);
  // A derived score repeats the scores it is derived from.
  const scores = shortfalls(turn.metrics).filter(({ result }) => result.source !== 'aggregate');
  const room = how.limit - listed.length;
  for (const score of scores.slice(0, room))
    yield* problemItemLines(scoreItem(score, how.provenAt), how.indent, how.style);
  const unnamed = failures.slice(how.limit).map(({ label }) => sanitizeLine(label));
  yield* labelLines([...new Set(unnamed), ...scores.slice(room).map(shortfallText)], how);
}

/** The judged scores of a session below their thresholds. @returns their names. */
export function* sessionProblems(
  { report }: SessionSummary,
  { provenAt, style, indent }: Omit<ProblemListOptions, 'limit'>,
): Generator<string, ReadonlySet<string>> {
  const judged = shortfalls(report.metrics).filter(({ result }) => result.judge !== undefined);
  for (const score of judged) yield* problemItemLines(scoreItem(score, provenAt), indent, style);
  return new Set(judged.map(({ metric }) => metric));
}

function* failureItem(failure: ProblemOccurrence, { style, indent }: ProblemListOptions): Generator<string> {
  const { label, severity, file, line, reason } = failure;
  style.explainedFailures.add(failure);
  yield* problemItemLines(
    { title: `${label} · ${severity}`, reason, location: formatLocation(file, line) },
    indent,
    style,
  );
}

function scoreItem(shortfall: Shortfall, provenAt: EvidenceLocation): ProblemItem {
  const { result } = shortfall;
  const { band, reason } = result;
  const parts = [shortfallText(shortfall), ...(band ? [band.name] : [])];
  const capped = scoreCap(result);
  if (capped === null) return { title: parts.join(' · '), reason, location: provenAt(result) };
  const gave = `capped by ${capped.rules.join(', ') || 'findings'}, the judge gave ${formatScore(capped.judged, result.scale)}`;
  // If the judge's own score passes, its reason names no problem; the finding is printed as a failure.
  return {
    title: [...parts, gave].join(' · '),
    reason: capped.judgedPasses ? null : capped.reason,
    location: provenAt(result),
  };
}

function* labelLines(names: readonly string[], { style, indent }: ProblemListOptions): Generator<string> {
  if (names.length === 0) return;
  for (const [index, line] of wrap(`also ${names.join(' · ')}`, style.columns - indent.length - 2).entries()) {
    yield `${indent}${style.paint(`${index === 0 ? '' : '  '}${line}`, 'bad')}`;
  }
}
