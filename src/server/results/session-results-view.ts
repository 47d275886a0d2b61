import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NO_TRACE } from '../../core/problem.ts';
import type {
  LocatedEvidence,
  Observation,
  ProblemOccurrence,
  Report,
  SessionReport,
  TraceLocation,
} from '../../core/report.ts';
import type { Pointer } from '../../core/session.ts';
import type { Locator, TextRange } from '../../input/load.ts';
import { gatesBySession, type SessionDetail, sessionFigures } from '../../panel/panel-session.ts';
import type {
  FileLocation,
  FileProblemRow,
  FileRange,
  ObservationRow,
  RelatedLocation,
  SessionProblemRow,
  SessionRow,
} from '../../protocol/messages.ts';
import { sessionKey } from '../../protocol/panel.ts';
import { correctedShareTexts } from '../../report-model/corrected-share.ts';
import { findingsBySession, NO_FINDINGS } from '../../report-model/session-findings.ts';
import { sessionTitle } from '../../report-model/session-title.ts';
import { verdictCauses } from '../../report-model/verdict-causes.ts';
import { causeText } from '../text/cause-text.ts';
import type { LoadedSession } from './loaded-session.ts';

/**
 * The results of a session, immutable. The texts of its files and its messages are not kept: they are read again when
 * they are shown.
 */
export interface SessionResultsView {
  readonly row: Omit<SessionRow, 'state'>;
  readonly file: string;
  /** All files that it was read from, including `file`. */
  readonly files: readonly string[];
  readonly failures: readonly SessionProblemRow[];
  readonly observations: readonly ObservationRow[];
  /** The locations of the turns of its report. */
  readonly turnPlaces: readonly TurnLocation[];
  readonly detail: SessionDetail;
}

/** What requests about the content of a session need of its results. */
export type ContentView = Pick<SessionResultsView, 'row' | 'file' | 'files' | 'detail'>;

/** A location, and the end of the line on which it begins. */
export interface TurnLocation extends FileLocation {
  readonly lineEnd: FileRange;
}

export interface FileProblem {
  readonly row: FileProblemRow;
  readonly file: string;
}

export interface ResultRows {
  readonly sessions: readonly SessionResultsView[];
  readonly problems: readonly FileProblem[];
}

/** A problem may have a lot of evidence. */
const MAX_RELATED = 20;

export const START: FileRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** A report, or what is known of one while the run goes on. */
export type PartialReport = Pick<Report, 'run' | 'sessions' | 'failures' | 'observations' | 'gates' | 'problems'> &
  Partial<Pick<Report, 'suppressed' | 'undecided' | 'metrics'>>;

/** @param report with absolute paths only. @param sessions the sessions of the report. */
export function buildRows(report: PartialReport, locator: Locator, sessions: readonly LoadedSession[]): ResultRows {
  const placeOf = locationResolver(report, locator);
  const failures = failuresBySession(report, placeOf);
  const observations = observationsBySession(report.observations, placeOf);
  const gates = gatesBySession(report.gates);
  const bySession = findingsBySession(report);
  const undecided = (report.undecided ?? []).map(({ reason }) => reason);
  const correctedShares = correctedShareTexts({ metrics: report.metrics ?? {} });
  const read = new Map(sessions.map((session) => [session.id, session]));
  return {
    sessions: report.sessions.map((session) => {
      const findings = { failures: failures.get(session.id) ?? [], observations: observations.get(session.id) ?? [] };
      const trace = read.get(session.id);
      const files = reportedFiles(session, trace);
      const title = trace?.title ?? sessionTitle(session, []);
      return buildSessionView(session, { files, title }, findings, placeOf, {
        report: session,
        gates: gates(session.id),
        run: report.run,
        ...(undecided.length === 0 ? {} : { undecided }),
        ...(correctedShares.length === 0 ? {} : { correctedShares }),
        found: bySession.get(session.id) ?? NO_FINDINGS,
        ...(trace ? { facts: trace.facts } : {}),
      });
    }),
    problems: report.problems.map((problem) => ({
      row: {
        severity: problem.severity,
        message: problem.message,
        location: toLocation(placeOf(problem.file, problem.pointer, problem.line)),
        ...(problem.code === NO_TRACE ? { isNoTrace: true as const } : {}),
      },
      file: resolve(problem.file),
    })),
  };
}

/** The files of a session, also where its trace was not read. */
function reportedFiles({ source, turns }: SessionReport, session: LoadedSession | undefined): string[] {
  const reported = [source.file, ...turns.flatMap(({ file }) => file ?? [])];
  return Array.from(new Set([...reported, ...(session?.files ?? [])]), (file) => resolve(file));
}

function buildSessionView(
  report: SessionReport,
  { files, title }: { readonly files: readonly string[]; readonly title: string },
  { failures, observations }: Pick<SessionResultsView, 'failures' | 'observations'>,
  placeOf: LocationResolver,
  detail: SessionDetail,
): SessionResultsView {
  const { source, turns } = report;
  const { uri, range } = placeOf(source.file, source.pointer, null);
  const causes = verdictCauses({ report, gates: detail.gates, hasProblems: false });
  return {
    row: {
      ...sessionFigures(report, sessionKey(uri, report.id), failures.length),
      title,
      why: causes.map(causeText),
      // Only its start: a whole session would select most of the file.
      location: { uri, range: { start: range.start, end: range.start } },
    },
    file: resolve(source.file),
    files,
    failures,
    observations,
    turnPlaces: turns.map(({ file = source.file, pointer, line }) => placeOf(file, pointer, line)),
    detail,
  };
}

function failuresBySession(
  { failures: groups, sessions }: Pick<PartialReport, 'failures' | 'sessions'>,
  placeOf: LocationResolver,
): Map<string, SessionProblemRow[]> {
  const isJudged = judgeOnlyFailures(sessions);
  const bySession = new Map<string, SessionProblemRow[]>();
  for (const { title, occurrences } of groups) {
    for (const occurrence of occurrences) {
      const { session, turn, label, severity, metric, rule, pointer, ...at } = occurrence;
      const places = findingLocations({ pointer, ...at }, placeOf);
      const reason = isJudged(occurrence) ? `A judge says: ${occurrence.reason}` : occurrence.reason;
      const failure = { turn, title, label, severity, reason, code: rule ?? metric ?? label, rule, pointer, ...places };
      const failures = bySession.get(session);
      if (failures) failures.push(failure);
      else bySession.set(session, [failure]);
    }
  }
  for (const failures of bySession.values()) failures.sort((a, b) => a.turn - b.turn);
  return bySession;
}

/** Whether only a judge's answer supports a problem. */
function judgeOnlyFailures(sessions: readonly SessionReport[]): (occurrence: ProblemOccurrence) => boolean {
  const turns = new Map(
    sessions.map(({ id, turns }) => [id, new Map(turns.map(({ index, metrics }) => [index, metrics]))]),
  );
  return ({ session, turn, metric, rule }) => {
    const metrics = turns.get(session)?.get(turn) ?? {};
    if (rule !== null || metric === null || !Object.hasOwn(metrics, metric)) return false;
    return metrics[metric]?.source === 'judge';
  };
}

function observationsBySession(
  observations: readonly Observation[],
  placeOf: LocationResolver,
): Map<string, ObservationRow[]> {
  const rows = observations.map(({ session, turn, rule, title, reason, pointer, ...at }) => {
    const locations = findingLocations({ pointer, ...at }, placeOf);
    return { session, row: { turn, rule, title, reason, pointer, ...locations } };
  });
  const bySession = Map.groupBy(rows, ({ session }) => session);
  return new Map(Array.from(bySession, ([session, all]) => [session, all.map(({ row }) => row)]));
}

/** The location of a finding, and of its further evidence. */
function findingLocations(
  { file, pointer, line, evidence }: Pick<TraceLocation, 'file' | 'pointer' | 'line' | 'evidence'>,
  placeOf: LocationResolver,
): { location: FileLocation; related: RelatedLocation[] } {
  const related = evidence.slice(1, 1 + MAX_RELATED);
  return {
    location: toLocation(placeOf(file, pointer, line)),
    related: related.map(({ note, ...at }) => ({ ...toLocation(placeOf(at.file, at.pointer, at.line)), note })),
  };
}

function toLocation({ uri, range }: FileLocation): FileLocation {
  return { uri, range };
}

type LocationResolver = (file: string, pointer: Pointer | null, line: number | null) => TurnLocation;

/** All pointers of a report that views show, by file. */
export function reportPointers(report: PartialReport): ReadonlyMap<string, ReadonlySet<Pointer>> {
  const pointersByFile = new Map<string, Set<Pointer>>();
  const want = (file: string, pointer: Pointer | null): void => {
    const pointers = pointersByFile.get(file) ?? new Set();
    pointersByFile.set(file, pointers);
    if (pointer !== null) pointers.add(pointer);
  };
  for (const { source, turns } of report.sessions) {
    want(source.file, source.pointer);
    for (const { file = source.file, pointer } of turns) want(file, pointer);
  }
  for (const { file, pointer } of reportEvidence(report)) want(file, pointer);
  for (const { file, pointer } of report.problems) want(file, pointer);
  return pointersByFile;
}

/** Resolves all pointers of the report in one pass per file. */
function locationResolver(report: PartialReport, locator: Locator): LocationResolver {
  const files = new Map(
    Array.from(reportPointers(report), ([file, pointers]) => [
      file,
      { uri: pathToFileURL(file).href, positions: locator.locate(file, pointers) },
    ]),
  );
  return (file, pointer, line) => {
    const locations = files.get(file);
    const position = pointer === null ? undefined : locations?.positions.get(pointer);
    const range = position ? toRange(position) : lineStart(line);
    const end = position ? { line: range.start.line, character: position.lineEnd - 1 } : range.start;
    return { uri: locations?.uri ?? pathToFileURL(file).href, range, lineEnd: { start: end, end } };
  };
}

function* reportEvidence({
  failures,
  observations,
}: PartialReport): Generator<Pick<LocatedEvidence, 'file' | 'pointer'>> {
  for (const { file, pointer, evidence } of [...failures.flatMap(({ occurrences }) => occurrences), ...observations]) {
    yield { file, pointer };
    yield* evidence.slice(1, 1 + MAX_RELATED);
  }
}

export function toRange({ line, column, endLine, endColumn }: TextRange): FileRange {
  return {
    start: { line: line - 1, character: column - 1 },
    end: { line: endLine - 1, character: endColumn - 1 },
  };
}

function lineStart(line: number | null): FileRange {
  if (line === null) return START;
  const start = { line: Math.max(0, line - 1), character: 0 };
  return { start, end: start };
}
