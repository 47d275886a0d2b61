import type { LocatedEvidence, TraceLocation } from '../core/report.ts';
import type { Evidence } from '../core/result.ts';
import { type Pointer, type Session, turnFile } from '../core/session.ts';

/** One-based lines of pointers in a file; absent where the file has none. */
export type LineLookup = (file: string, pointers: Iterable<Pointer>) => ReadonlyMap<Pointer, number>;

/** Where something was found: at its first evidence, else at its turn. Lines are found for all places at once. */
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

interface FilePointer {
  readonly file: string;
  readonly pointer: Pointer;
}

/** Lines of places and of their evidence, in one pass over each file that has any. */
export function lineResolver(
  found: readonly TraceLocation[],
  locate: LineLookup,
): <T extends TraceLocation>(at: T) => T {
  const pointers = new Map<string, Pointer[]>();
  for (const at of found) for (const place of [at, ...at.evidence]) appendTo(pointers, place.file, place.pointer);
  const lines = new Map([...pointers].map(([file, ofFile]) => [file, locate(file, ofFile)]));
  const lineOf = ({ file, pointer }: FilePointer) => lines.get(file)?.get(pointer) ?? null;
  return (at) => ({
    ...at,
    line: lineOf(at),
    evidence: at.evidence.map((place): LocatedEvidence => ({ ...place, line: lineOf(place) })),
  });
}

/** Lines of all turns, in one pass over each file. */
export function resolveTurnLines(
  sessions: readonly Session[],
  locate: LineLookup,
): ReadonlyMap<string, ReadonlyMap<Pointer, number>> {
  const pointers = new Map<string, Pointer[]>();
  for (const session of sessions) {
    for (const turn of session.turns) appendTo(pointers, turnFile(session, turn), turn.pointer);
  }
  return new Map([...pointers].map(([file, ofFile]) => [file, locate(file, ofFile)]));
}

function appendTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
