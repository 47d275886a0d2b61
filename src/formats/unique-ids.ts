import type { Pointer, Session } from '../core/session.ts';
import { UniqueIds } from './ids.ts';
import type { Problems } from './problems.ts';

/** Gives sessions that share an id within a document one of their own, and says so. */
export function withUniqueIds(sessions: Iterable<Session>, problems: Problems): Session[] {
  const ids = new UniqueIds();
  return Array.from(sessions, (session) => {
    const id = ids.claim(session.id);
    if (id === session.id) return session;
    problems.warn(
      'duplicate-session-id',
      session.source.pointer,
      `Another session of this file has the id "${session.id}" too; this one is called "${id}".`,
    );
    return { ...session, id };
  });
}

/** Gives a turn an id that no other turn of its session has, and says so where that is not the one it has. */
export function uniqueTurnId(ids: UniqueIds, id: string, pointer: Pointer, problems: Problems): string {
  const unique = ids.claim(id);
  if (unique !== id) {
    problems.warn(
      'duplicate-turn-id',
      pointer,
      `Another turn of this session has the id "${id}" too; this one is called "${unique}".`,
    );
  }
  return unique;
}
