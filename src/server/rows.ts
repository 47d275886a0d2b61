import { pathToFileURL } from 'node:url';
import type { FailureGroup, Gate, Occurrence, Report, Run, SessionReport } from '../core/report.ts';
import type { Pointer, Session, Turn } from '../core/session.ts';
import { atLeast } from '../core/severity.ts';
import type { Locator, Position } from '../input/load.ts';
import type { FailureRow, Place, ProblemRow, Range, SessionRow } from '../protocol/messages.ts';
import { sessionKey } from '../protocol/panel.ts';

/** A session as the editor shows it. The text of its file is let go, what was read from it stays. */
export interface HeldSession {
  readonly row: SessionRow;
  readonly file: string;
  readonly failures: readonly FailureRow[];
  readonly detail: SessionDetail;
}

/** What its report is made of, when somebody opens it. */
export interface SessionDetail {
  readonly report: SessionReport;
  readonly turns: readonly Turn[];
  /** Its own, and those of the run that it was part of. */
  readonly gates: readonly Gate[];
  readonly run: Pick<Run, 'judge' | 'complete'>;
}

export interface HeldProblem {
  readonly row: ProblemRow;
  readonly file: string;
}

export interface Rows {
  readonly sessions: readonly HeldSession[];
  readonly problems: readonly HeldProblem[];
}

const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/**
 * Every file of the report is a path that is absolute.
 *
 * @param sessions what the report is about.
 */
export function rowsOf(report: Report, locator: Locator, sessions: readonly Session[]): Rows {
  const placeOf = placesOf(report, locator);
  const failures = failuresBySession(report.failures, placeOf);
  const gates = Map.groupBy(report.gates, ({ scope, subject }) => (scope === 'session' ? subject : null));
  const gatesOfRun = report.gates.filter(({ scope }) => scope === 'run');
  const turns = new Map(sessions.map((session) => [session.id, session.turns]));
  return {
    sessions: report.sessions.map((session) => {
      const own = gates.get(session.id) ?? [];
      return held(session, failures.get(session.id) ?? [], own, placeOf, {
        report: session,
        turns: turns.get(session.id) ?? [],
        gates: [...own, ...gatesOfRun],
        run: { judge: report.run.judge, complete: report.run.complete },
      });
    }),
    problems: report.problems.map((problem) => ({
      row: {
        severity: problem.severity,
        message: problem.message,
        place: placeOf(problem.file, problem.pointer, problem.line),
      },
      file: problem.file,
    })),
  };
}

function held(
  { id, source, verdict, undecided = [], metrics, turns }: SessionReport,
  failures: readonly FailureRow[],
  gates: readonly Gate[],
  placeOf: PlaceOf,
  detail: SessionDetail,
): HeldSession {
  const risk = Object.hasOwn(metrics, 'session_risk') ? metrics.session_risk : undefined;
  const { uri, range } = placeOf(source.file, source.pointer, null);
  let worst: FailureRow | undefined;
  for (const failure of failures) {
    if (!worst || !atLeast(worst.severity, failure.severity)) worst = failure;
  }
  return {
    row: {
      key: sessionKey(uri, id),
      id,
      verdict,
      risk: risk?.score ?? null,
      riskReason: risk?.reason ?? null,
      turns: turns.length,
      failures: failures.length,
      headline: worst?.label ?? null,
      why: verdict === 'undecided' && undecided.length > 0 ? undecided : reasonsOf(gates),
      // Where it starts: selecting a whole session would select most of the file.
      place: { uri, range: { start: range.start, end: range.start } },
    },
    file: source.file,
    failures,
    detail,
  };
}

/** Why its gates are not met. */
function reasonsOf(gates: readonly Gate[]): string[] {
  return gates.filter(({ met }) => met !== true).map(({ reason }) => reason);
}

function failuresBySession(groups: readonly FailureGroup[], placeOf: PlaceOf): Map<string, FailureRow[]> {
  const found = new Map<string, FailureRow[]>();
  for (const { occurrences } of groups) {
    for (const { session, file, turn, label, severity, rule, reason, pointer, line } of occurrences) {
      const place = placeOf(file, pointer, line);
      const failure = { turn, label, severity, reason, code: rule ?? label, pointer, place };
      const failures = found.get(session);
      if (failures) failures.push(failure);
      else found.set(session, [failure]);
    }
  }
  for (const failures of found.values()) failures.sort((a, b) => a.turn - b.turn);
  return found;
}

type PlaceOf = (file: string, pointer: Pointer | null, line: number | null) => Place;

/** Finds all pointers of the report in one pass per file. */
function placesOf(report: Report, locator: Locator): PlaceOf {
  const wanted = new Map<string, Set<Pointer>>();
  const want = (file: string, pointer: Pointer | null): void => {
    const pointers = wanted.get(file) ?? new Set();
    wanted.set(file, pointers);
    if (pointer !== null) pointers.add(pointer);
  };
  for (const { source } of report.sessions) want(source.file, source.pointer);
  for (const occurrence of occurrencesOf(report)) want(occurrence.file, occurrence.pointer);
  for (const { file, pointer } of report.problems) want(file, pointer);

  const files = new Map(
    Array.from(wanted, ([file, pointers]) => [
      file,
      { uri: pathToFileURL(file).href, positions: locator.locate(file, pointers) },
    ]),
  );
  return (file, pointer, line) => {
    const found = files.get(file);
    const position = pointer === null ? undefined : found?.positions.get(pointer);
    return {
      uri: found?.uri ?? pathToFileURL(file).href,
      range: position ? rangeOf(position) : startOf(line),
    };
  };
}

function* occurrencesOf(report: Report): Generator<Occurrence> {
  for (const { occurrences } of report.failures) yield* occurrences;
}

export function rangeOf({ line, column, endLine, endColumn }: Position): Range {
  return {
    start: { line: line - 1, character: column - 1 },
    end: { line: endLine - 1, character: endColumn - 1 },
  };
}

function startOf(line: number | null): Range {
  if (line === null) return START;
  const start = { line: Math.max(0, line - 1), character: 0 };
  return { start, end: start };
}
