import type { ProblemOccurrence, TurnReport } from '../../core/report.ts';
import { meetsThreshold, type Result } from '../../core/result.ts';
import { sanitizeLine, wrap } from '../text.ts';
import { figure } from './figure.ts';
import { type Item, itemLines } from './item.ts';
import { type ProvenAt, placeOf } from './places.ts';
import { cappedBy, type Shortfall, shortfallsOf } from './shortfall.ts';
import type { Style } from './style.ts';
import type { SessionView } from './view.ts';

/** Where complaints stand on the page. */
export interface Complaining {
  readonly provenAt: ProvenAt;
  readonly style: Style;
  readonly indent: string;
  /** Complaints that are told with their reasons; the others are only named. */
  readonly limit: number;
}

/** What is wrong with a turn that a judge looked at: its failures, then its scores that fall short. */
export function* turnComplaints(view: SessionView, turn: TurnReport, how: Complaining): Generator<string> {
  const failures = view.failures.filter((failure) => failure.turn === turn.index);
  const told = failures.slice(0, how.limit);
  for (const failure of told) yield* failureItem(failure, how);
  // What is made of other scores says nothing that they do not say.
  const scores = shortfallsOf(turn.metrics).filter(({ result }) => result.source !== 'aggregate');
  const room = how.limit - told.length;
  for (const score of scores.slice(0, room)) yield* itemLines(scoreItem(score, how.provenAt), how.indent, how.style);
  const unnamed = failures.slice(how.limit).map(({ label }) => sanitizeLine(label));
  yield* namedLines([...new Set(unnamed), ...scores.slice(room).map(({ text }) => text)], how);
}

/** What a judge has against a session as a whole. @returns the names of these scores. */
export function* sessionComplaints(
  { report }: SessionView,
  { provenAt, style, indent }: Omit<Complaining, 'limit'>,
): Generator<string, ReadonlySet<string>> {
  const judged = shortfallsOf(report.metrics).filter(({ result }) => result.judge !== undefined);
  for (const score of judged) yield* itemLines(scoreItem(score, provenAt), indent, style);
  return new Set(judged.map(({ name }) => name));
}

function* failureItem(failure: ProblemOccurrence, { style, indent }: Complaining): Generator<string> {
  const { label, severity, file, line, reason } = failure;
  style.told.add(failure);
  yield* itemLines({ what: `${label} · ${severity}`, why: reason, place: placeOf(file, line) }, indent, style);
}

function scoreItem({ text, result }: Shortfall, provenAt: ProvenAt): Item {
  const { band, reason } = result;
  const parts = [text, ...(band ? [band.name] : [])];
  const capped = cappedBy(result);
  if (capped === null) return { what: parts.join(' · '), why: reason, place: provenAt(result) };
  const gave = `capped by ${capped.rules.join(', ') || 'findings'}, the judge gave ${figure(capped.judged, result.scale)}`;
  // A judge who was content has nothing to say of what is wrong; the finding is told as a failure.
  return {
    what: [...parts, gave].join(' · '),
    why: isContent(capped.judged, result) ? null : capped.reason,
    place: provenAt(result),
  };
}

function isContent(judged: number, { threshold }: Result): boolean {
  return threshold !== null && meetsThreshold(judged, threshold);
}

function* namedLines(names: readonly string[], { style, indent }: Complaining): Generator<string> {
  if (names.length === 0) return;
  for (const [index, line] of wrap(`also ${names.join(' · ')}`, style.columns - indent.length - 2).entries()) {
    yield `${indent}${style.paint(`${index === 0 ? '' : '  '}${line}`, 'bad')}`;
  }
}
