import { fileURLToPath } from 'node:url';
import type { Result } from '../core/result.ts';
import { severityRank } from '../core/severity.ts';
import type { FailureRow, FileState, ObservationRow, Range, SessionRow } from '../protocol/messages.ts';
import type { Results } from './results.ts';
import type { HeldSession } from './rows.ts';

/** What the features inside an editor show of one file: all places are those of the text as it is now. */
export interface FileView {
  readonly uri: string;
  readonly state: FileState;
  readonly sessions: readonly SessionInFile[];
}

/** A session, or the part of one that stands in this file. */
export interface SessionInFile {
  readonly row: SessionRow;
  /** Where it begins; null where it begins in another file. */
  readonly range: Range | null;
  /** Of its turns, those that stand in this file. */
  readonly turns: readonly TurnInFile[];
  /** What is proven in this file, whatever file the turn stands in. */
  readonly failures: readonly FailureRow[];
  readonly observations: readonly ObservationRow[];
}

export interface TurnInFile {
  /** Zero-based. */
  readonly index: number;
  /** Of the whole turn. */
  readonly range: Range;
  /** The end of the line on which it begins. */
  readonly lineEnd: Range;
  /** `turn_risk`, 0 to 1; null where it has no score. */
  readonly risk: number | null;
  /** Of its scores that fail their threshold, the one that is furthest below; null where none does. */
  readonly worst: { readonly metric: string; readonly result: Result } | null;
  readonly metrics: Readonly<Record<string, Result>>;
  /** The most severe first. */
  readonly failures: readonly FailureRow[];
  readonly observations: readonly ObservationRow[];
}

/** Null where nothing is held of the file. */
export function viewOf(uri: string, results: Results): FileView | null {
  const path = fileURLToPath(uri);
  const file = results.file(path);
  if (!file) return null;
  return {
    uri: file.uri,
    state: file.state,
    sessions: results.sessionsIn(path).map((session) => sessionIn(file.uri, session, results)),
  };
}

function sessionIn(uri: string, session: HeldSession, results: Results): SessionInFile {
  const row = results.rowOf(session);
  const allFailures = session.failures.map((failure) => results.now(failure));
  const allObservations = session.observations.map((observation) => results.now(observation));
  const failures = Map.groupBy(allFailures, ({ turn }) => turn);
  const observations = Map.groupBy(allObservations, ({ turn }) => turn);
  const turns = session.detail.report.turns.flatMap(({ index, metrics }, at): TurnInFile[] => {
    const place = session.turnPlaces[at];
    if (place?.uri !== uri) return [];
    const own = failures.get(index) ?? [];
    return [
      {
        index,
        range: results.placeNow(place).range,
        lineEnd: results.placeNow({ uri, range: place.lineEnd }).range,
        risk: metrics.turn_risk?.score ?? null,
        worst: worstOf(metrics),
        metrics,
        failures: own.toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity)),
        observations: observations.get(index) ?? [],
      },
    ];
  });
  return {
    row,
    range: row.place.uri === uri ? row.place.range : null,
    turns,
    failures: allFailures.filter(({ place }) => place.uri === uri),
    observations: allObservations.filter(({ place }) => place.uri === uri),
  };
}

function worstOf(metrics: Readonly<Record<string, Result>>): TurnInFile['worst'] {
  const failing = Object.entries(metrics).filter(([, { passed, implied }]) => passed === false && !implied);
  const [worst] = failing.sort(([, a], [, b]) => shortfall(b) - shortfall(a));
  return worst ? { metric: worst[0], result: worst[1] } : null;
}

/** How far a score is from its threshold, as a share of its scale. */
function shortfall({ score, threshold, scale }: Result): number {
  const [least, most] = scale ?? [0, 1];
  const size = (most ?? Math.max(1, Math.abs(score ?? 0))) - least;
  return Math.abs((threshold ?? 0) - (score ?? 0)) / (size || 1);
}
