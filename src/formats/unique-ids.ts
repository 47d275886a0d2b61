import type { Pointer, Session } from '../core/session.ts';
import { UniqueIds } from './ids.ts';
import type { Problems } from './problems.ts';

/** Makes the session ids of a document unique, with a warning for each change. */
export function withUniqueIds(sessions: Iterable<Session>, problems: Problems): Session[] {
  const ids = new UniqueIds();
  return Array.from(sessions, (session) => {
    const id = ids.claim(session.id);
    if (id === session.id) return session;
    problems.warn(
      'duplicate-session-id',
      session.source.pointer,
      `Another session of this file has the id "${session.id}". This one is renamed to "${id}".`,
    );
    return { ...session, id };
  });
}

/** Makes a turn's id unique in its session, with a warning if that changes it. */
export function uniqueTurnId(ids: UniqueIds, id: string, pointer: Pointer, problems: Problems): string {
  const unique = ids.claim(id);
  if (unique !== id) {
    problems.warn(
      'duplicate-turn-id',
      pointer,
      `Another turn of this session has the id "${id}". This one is renamed to "${unique}".`,
    );
  }
  return unique;
}
