import { fileURLToPath } from 'node:url';
import type {
  FilePosition,
  FileRange,
  FileState,
  ObservationRow,
  SessionProblemRow,
  SessionRow,
  StaleCause,
} from '../../protocol/messages.ts';
import type { EvaluationResults } from './evaluation-results.ts';
import { statusWithScores } from './outdated-scores.ts';
import type { SessionResultsView } from './session-results-view.ts';
import type { LocatedTurnSummary } from './turn-summary.ts';

/** What editor features show of one file, with the ranges of the current text. */
export interface FileView {
  readonly uri: string;
  readonly state: FileState;
  readonly outdatedBecause?: StaleCause;
  /** In file order. */
  readonly sessions: readonly SessionInFile[];
}

/** A session, or the part of it in this file. */
export interface SessionInFile {
  readonly results: SessionResultsView;
  readonly row: SessionRow;
  /** Where it begins; null where it begins in another file. */
  readonly range: FileRange | null;
  /** Those of its turns that are in this file. */
  readonly turns: readonly TurnInFile[];
}

export interface TurnInFile {
  readonly summary: LocatedTurnSummary;
  /** Of the whole turn. */
  readonly range: FileRange;
  /** The end of the line on which it begins. */
  readonly lineEnd: FileRange;
}

/** Null for a file without results. */
export function buildFileView(uri: string, results: EvaluationResults): FileView | null {
  const path = fileURLToPath(uri);
  const file = results.file(path);
  if (!file) return null;
  const { rangeMapper: shift } = file;
  const status = { state: file.state, ...(file.outdatedBecause ? { changed: file.outdatedBecause } : {}) };
  const { state, changed: outdatedBecause } = statusWithScores(status, results.sessionsIn(path));
  const sessions = results.sessionsIn(path).map((sessionView): SessionInFile => {
    const row = results.sessionRow(sessionView);
    return {
      results: sessionView,
      row,
      range: row.location.uri === file.uri ? row.location.range : null,
      turns: results.turnSummaries(sessionView).flatMap((facts) => {
        if (facts.location?.uri !== file.uri) return [];
        const { range, lineEnd } = facts.location;
        return [{ summary: facts, range: shift.map(range), lineEnd: shift.map(lineEnd) }];
      }),
    };
  });
  return { uri: file.uri, state, outdatedBecause, sessions: sessions.sort(byStart) };
}

export type FindingRow = SessionProblemRow | ObservationRow;

/** A problem, with its session. */
export interface ProblemInSession {
  readonly session: SessionResultsView;
  readonly problem: SessionProblemRow;
}

/** The problems with evidence in a file, without observations, with the ranges of the text that was evaluated. */
export function problemsIn(uri: string, results: EvaluationResults): ProblemInSession[] {
  const path = fileURLToPath(uri);
  const file = results.file(path);
  return results
    .sessionsIn(path)
    .flatMap((session) =>
      session.failures.filter(({ location }) => location.uri === file?.uri).map((problem) => ({ session, problem })),
    );
}

/** The problems in a part of a file, with their current ranges. */
export function problemsAt(
  uri: string,
  results: EvaluationResults,
  isWanted: (range: FileRange) => boolean,
): ProblemInSession[] {
  const shift = results.file(fileURLToPath(uri))?.rangeMapper;
  if (!shift) return [];
  const there = problemsIn(uri, results).filter(({ problem }) => isWanted(shift.map(problem.location.range)));
  return there.map(({ session, problem }) => ({ session, problem: results.currentFinding(problem) }));
}

/** The turn that begins on the position's line; where several do, the one around the position. */
export function turnAt(view: FileView, position: FilePosition): { session: SessionInFile; turn: TurnInFile } | null {
  const onLine = view.sessions.flatMap((session) =>
    session.turns.filter(({ range }) => range.start.line === position.line).map((turn) => ({ session, turn })),
  );
  if (onLine.length === 1) return onLine[0] ?? null;
  return onLine.findLast(({ turn }) => rangeContains(turn.range, position)) ?? null;
}

export function rangeContains({ start, end }: FileRange, { line, character }: FilePosition): boolean {
  const isBehindStart = line > start.line || (line === start.line && character >= start.character);
  return isBehindStart && (line < end.line || (line === end.line && character <= end.character));
}

/** Sessions that begin in another file come first. */
function byStart({ range: a }: SessionInFile, { range: b }: SessionInFile): number {
  if (!a || !b) return Number(a !== null) - Number(b !== null);
  return a.start.line - b.start.line || a.start.character - b.start.character;
}
