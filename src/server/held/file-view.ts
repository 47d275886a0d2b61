import { fileURLToPath } from 'node:url';
import type {
  Change,
  FailureRow,
  FileState,
  ObservationRow,
  Position,
  Range,
  SessionRow,
} from '../../protocol/messages.ts';
import type { Results } from './results.ts';
import type { HeldSession } from './rows.ts';
import { type TurnFacts, turnFactsOf } from './turn-facts.ts';

/** What the features inside an editor show of one file: ranges are those of the text as it is now. */
export interface FileView {
  readonly uri: string;
  readonly state: FileState;
  readonly changed?: Change;
  /** In the order in which they begin. */
  readonly sessions: readonly SessionInFile[];
}

/** A session, or the part of one that stands in this file. */
export interface SessionInFile {
  readonly held: HeldSession;
  readonly row: SessionRow;
  /** Where it begins; null where it begins in another file. */
  readonly range: Range | null;
  /** Of its turns, those that stand in this file. */
  readonly turns: readonly TurnInFile[];
}

export interface TurnInFile {
  readonly facts: TurnFacts;
  /** Of the whole turn. */
  readonly range: Range;
  /** The end of the line on which it begins. */
  readonly lineEnd: Range;
}

/** Null where nothing is held of the file. */
export function viewOf(uri: string, results: Results): FileView | null {
  const path = fileURLToPath(uri);
  const file = results.file(path);
  if (!file) return null;
  const { shift, state, changed } = file;
  const sessions = results.sessionsIn(path).map((held): SessionInFile => {
    const row = results.rowOf(held);
    return {
      held,
      row,
      range: row.place.uri === file.uri ? row.place.range : null,
      turns: turnFactsOf(held).flatMap((facts) => {
        if (facts.place?.uri !== file.uri) return [];
        const { range, lineEnd } = facts.place;
        return [{ facts, range: shift.range(range), lineEnd: shift.range(lineEnd) }];
      }),
    };
  });
  return { uri: file.uri, state, changed, sessions: sessions.sort(byBeginning) };
}

export type Found = FailureRow | ObservationRow;

/** A failure or an observation, and the session in which it is one. */
export interface FoundIn<One extends Found = Found> {
  readonly session: HeldSession;
  readonly found: One;
}

/** What is proven in a file, whatever file its turn stands in: the places are those in the text that was evaluated. */
export function heldIn(uri: string, results: Results): FoundIn[] {
  const path = fileURLToPath(uri);
  const file = results.file(path);
  return results
    .sessionsIn(path)
    .flatMap((session) =>
      [...session.failures, ...session.observations]
        .filter(({ place }) => place.uri === file?.uri)
        .map((found) => ({ session, found })),
    );
}

/** What is proven in a file where somebody looks. The places are those of now. */
export function foundIn(uri: string, results: Results, isWanted: (range: Range) => boolean): FoundIn[] {
  const shift = results.file(fileURLToPath(uri))?.shift;
  if (!shift) return [];
  const there = heldIn(uri, results).filter(({ found }) => isWanted(shift.range(found.place.range)));
  return there.map(({ session, found }) => ({ session, found: results.now(found) }));
}

/**
 * The turn that a position on its first line means; where several begin on the line, the one within which the position
 * is.
 */
export function turnAt(view: FileView, position: Position): { session: SessionInFile; turn: TurnInFile } | null {
  const onLine = view.sessions.flatMap((session) =>
    session.turns.filter(({ range }) => range.start.line === position.line).map((turn) => ({ session, turn })),
  );
  if (onLine.length === 1) return onLine[0] ?? null;
  return onLine.findLast(({ turn }) => contains(turn.range, position)) ?? null;
}

export function contains({ start, end }: Range, { line, character }: Position): boolean {
  const isBehindStart = line > start.line || (line === start.line && character >= start.character);
  return isBehindStart && (line < end.line || (line === end.line && character <= end.character));
}

/** Those that begin in another file come first. */
function byBeginning({ range: a }: SessionInFile, { range: b }: SessionInFile): number {
  if (!a || !b) return Number(a !== null) - Number(b !== null);
  return a.start.line - b.start.line || a.start.character - b.start.character;
}
