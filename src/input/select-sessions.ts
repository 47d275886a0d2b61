import type { Session } from '../core/session.ts';

export interface SessionSelection {
  /** Sessions that are not evaluated; asked once about each. */
  readonly leaveOut?: (session: Session) => boolean;
  /** Only the session with this id. */
  readonly session?: string;
  /** Maximum number of sessions, evenly spaced over the input. */
  readonly sample?: number;
  /** Which of those are evaluated here, by their place among them; default: all. */
  readonly isOwn?: ((position: number) => boolean) | undefined;
}

/** The selected sessions of a stream. Only a sample waits for all of them, since it is spaced over them. */
export async function* selectSessions(
  sessions: AsyncIterable<Session>,
  { isOwn = () => true, ...selection }: SessionSelection,
): AsyncGenerator<Session, void> {
  let position = 0;
  for await (const session of select(sessions, selection)) {
    if (isOwn(position)) yield session;
    position += 1;
  }
}

async function* select(
  sessions: AsyncIterable<Session>,
  { leaveOut, session: id, sample }: SessionSelection,
): AsyncGenerator<Session, void> {
  const all: Session[] = [];
  for await (const session of sessions) {
    if (id !== undefined && session.id !== id) continue;
    if (leaveOut?.(session)) continue;
    if (sample === undefined) yield session;
    else all.push(session);
  }
  const chosen = sample === undefined ? [] : evenlySpaced(all.splice(0), sample);
  // Empties the list as it goes, so that a session that was evaluated is not kept.
  chosen.reverse();
  for (let session = chosen.pop(); session; session = chosen.pop()) yield session;
}

/** At most so many items, evenly spaced over all. */
export function evenlySpaced<Item>(all: readonly Item[], count: number): Item[] {
  if (count >= all.length) return [...all];
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]).flatMap(
    (session) => session ?? [],
  );
}
