import type { TraceLocation } from '../core/report.ts';
import type { Evidence } from '../core/result.ts';
import { type Pointer, type Session, turnFile } from '../core/session.ts';
import type { SessionOutcome, TracePlace } from '../core/session-outcome.ts';
import { judgedShortfalls } from '../report-model/shortfall.ts';

/** Where a value begins and ends in its file, one-based. */
export interface EvidenceRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Finds places in files. */
export interface LocationLookup {
  /** The ranges of pointers in a file; those that have none are left out. */
  (file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, EvidenceRange>;
  /** Whether few pointers of a file are found without a pass over all of it; absent where none is such. */
  readonly isIndexed?: (file: string) => boolean;
}

/** The ranges of turns, by file. */
export type TurnLines = ReadonlyMap<string, ReadonlyMap<Pointer, EvidenceRange>>;

/** The location of a finding: its first evidence, else its turn. Ranges are added for all findings at once. */
export function locate(id: string, session: Session, index: number, evidence: readonly Evidence[]): TraceLocation {
  const turn = session.turns[index];
  const placed = evidence.map(({ pointer, note, file }) => ({
    file: file ?? session.source.file,
    pointer,
    line: null,
    note,
  }));
  return {
    session: id,
    file: placed[0]?.file ?? (turn ? turnFile(session, turn) : session.source.file),
    turn: index,
    pointer: placed[0]?.pointer ?? turn?.pointer ?? session.source.pointer,
    line: null,
    evidence: placed,
  };
}

interface UnlocatedValue {
  readonly file: string;
  readonly pointer: Pointer;
  /** Null until it is located. */
  readonly line: number | null;
}

/** Adds the ranges of findings and of their evidence, in one pass over each file with some that have none. */
export function locationResolver(
  findings: readonly TraceLocation[],
  locate: LocationLookup,
): <Located extends TraceLocation>(finding: Located) => Located {
  const pointers = new Map<string, Pointer[]>();
  for (const finding of findings) {
    for (const { file, pointer, line } of [finding, ...finding.evidence]) {
      if (line === null) appendTo(pointers, file, pointer);
    }
  }
  const ranges = new Map([...pointers].map(([file, ofFile]) => [file, locate(file, ofFile)]));
  const withRange = <Value extends UnlocatedValue>(value: Value): Value => {
    if (value.line !== null) return value;
    const range = ranges.get(value.file)?.get(value.pointer);
    if (!range) return value;
    const { line, column, endLine, endColumn } = range;
    return { ...value, line, column, endLine, endColumn };
  };
  const isLocated = ({ line }: UnlocatedValue) => line !== null;
  return (finding) =>
    isLocated(finding) && finding.evidence.every(isLocated)
      ? finding
      : { ...withRange(finding), evidence: finding.evidence.map(withRange) };
}

/**
 * Outcomes whose problems, observations and suppressed findings have the ranges of their evidence, and which say where that of low
 * scores stands.
 *
 * @param withPlaces whether they also say where stands what other attempts are compared with.
 */
export function withLocations(
  outcomes: readonly SessionOutcome[],
  locate: LocationLookup,
  withPlaces = false,
): SessionOutcome[] {
  const beside = new Map(
    outcomes.map((outcome) => [outcome, [...scorePlaces(outcome), ...(withPlaces ? comparedPlaces(outcome) : [])]]),
  );
  const findings = outcomes.flatMap((outcome): readonly TraceLocation[] => [
    ...outcome.problems.map(({ occurrence }) => occurrence),
    ...outcome.observations,
    ...outcome.suppressed,
    ...(beside.get(outcome) ?? []),
  ]);
  const resolve = locationResolver(findings, locate);
  return outcomes.map((outcome) => {
    const places = beside.get(outcome)?.map(resolve).flatMap(toPlace) ?? [];
    return {
      ...outcome,
      problems: outcome.problems.map((problem) => ({ ...problem, occurrence: resolve(problem.occurrence) })),
      observations: outcome.observations.map(resolve),
      suppressed: outcome.suppressed.map(resolve),
      ...(places.length > 0 && { places }),
    };
  });
}

/** What the comparison of attempts can show of a session: what it changed, and its end. */
function comparedPlaces({ id, source, facts: { changes }, turns }: SessionOutcome): TraceLocation[] {
  if (!changes) return [];
  const last = turns.at(-1);
  const end = { turn: last?.index ?? 0, pointer: last?.pointer ?? source.pointer, file: last?.file };
  return [...changes, end].map(({ turn, pointer, file }) => ({
    session: id,
    file: file ?? source.file,
    turn,
    pointer,
    line: null,
    evidence: [],
  }));
}

/** The first evidence of each score of a judge below its threshold, which the table shows. */
function scorePlaces({ id, source, metrics, turns }: SessionOutcome): TraceLocation[] {
  const scores = [{ metrics, index: 0 }, ...turns].flatMap((scope) =>
    judgedShortfalls(scope.metrics).map(({ result: { evidence } }) => ({ turn: scope.index, evidence: evidence[0] })),
  );
  return scores.flatMap(({ turn, evidence }) => {
    if (!evidence) return [];
    const { file = source.file, pointer } = evidence;
    return [{ session: id, file, turn, pointer, line: null, evidence: [] }];
  });
}

/** An outcome of a part of a run as one of all of the run, whose attempts are compared: it knows only where its scores stand. */
export function withScorePlaces({ places = [], ...outcome }: SessionOutcome): SessionOutcome {
  const own = new Set(scorePlaces(outcome).map(({ file, pointer }) => JSON.stringify([file, pointer])));
  const kept = places.filter(({ file, pointer }) => own.has(JSON.stringify([file, pointer])));
  return kept.length === 0 ? outcome : { ...outcome, places: kept };
}

function toPlace({ file, pointer, line, column, endLine, endColumn }: TraceLocation): TracePlace[] {
  if (line === null || column === undefined || endLine === undefined || endColumn === undefined) return [];
  return [{ file, pointer, line, column, endLine, endColumn }];
}

/** Finds what the outcomes say where it stands: their files may not be at hand. */
export function placesLookup(outcomes: readonly Pick<SessionOutcome, 'places'>[]): LocationLookup {
  const byFile = new Map<string, Map<Pointer, TracePlace>>();
  for (const { places = [] } of outcomes) {
    for (const place of places) {
      const ofFile = byFile.get(place.file) ?? new Map<Pointer, TracePlace>();
      byFile.set(place.file, ofFile.set(place.pointer, place));
    }
  }
  return (file) => byFile.get(file) ?? new Map();
}

export interface SessionWithLines {
  readonly session: Session;
  readonly lines: TurnLines;
}

/** Adds the pointers of a session that are to be found, with their files. */
export type PointerVisitor = (session: Session, add: (file: string, pointer: Pointer) => void) => void;

const visitTurns: PointerVisitor = (session, add) => {
  for (const turn of session.turns) add(turnFile(session, turn), turn.pointer);
};

/**
 * Sessions with the lines of their turns. Sessions of one file follow each other: each file is passed over once for all of them,
 * unless it is indexed.
 *
 * @param visit what else is to be found of a session.
 */
export async function* withTurnLines(
  sessions: Iterable<Session> | AsyncIterable<Session>,
  locate: LocationLookup,
  signal: AbortSignal,
  visit = visitTurns,
): AsyncGenerator<SessionWithLines, void, undefined> {
  let sameFile: Session[] = [];
  for await (const session of sessions) {
    if (sameFile[0] && sameFile[0].source.file !== session.source.file) {
      yield* drain(sameFile, locate, signal, visit);
      sameFile = [];
    }
    sameFile.push(session);
    if (!locate.isIndexed?.(session.source.file)) continue;
    yield* drain(sameFile, locate, signal, visit);
    sameFile = [];
  }
  yield* drain(sameFile, locate, signal, visit);
}

/** Empties the list as it goes, so that a session that was evaluated is not kept. */
function* drain(
  sessions: Session[],
  locate: LocationLookup,
  signal: AbortSignal,
  visit: PointerVisitor,
): Generator<SessionWithLines> {
  const lines = signal.aborted ? new Map() : resolveLines(sessions, locate, visit);
  sessions.reverse();
  for (let session = sessions.pop(); session; session = sessions.pop()) yield { session, lines };
}

function resolveLines(sessions: readonly Session[], locate: LocationLookup, visit: PointerVisitor): TurnLines {
  const pointers = new Map<string, Pointer[]>();
  for (const session of sessions) visit(session, (file, pointer) => appendTo(pointers, file, pointer));
  return new Map([...pointers].map(([file, ofFile]) => [file, locate(file, ofFile)]));
}

function appendTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
