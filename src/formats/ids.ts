import type { Pointer, Session } from '../core/session.ts';
import type { Problems } from './problems.ts';

/** Extensions that are not part of a session's id. */
const EXTENSIONS =
  /(?:\.(?:trace|traces|session|sessions|evalset|test|messages|chatml|results|traj))?\.(?:json|jsonl|ndjson|traj|eval)$/i;

/** A file's name without folder and extensions: the id of a session without one. */
export function stemOf(file: string): string {
  if (file === '-') return 'stdin';
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  return name.replace(EXTENSIONS, '') || name || 'session';
}

/** Makes ids unique: a repeated id gets `#2`, `#3`, … */
export class UniqueIds {
  readonly #seen = new Map<string, number>();

  claim(id: string): string {
    let count = this.#seen.get(id);
    if (count === undefined) {
      this.#seen.set(id, 1);
      return id;
    }
    let unique: string;
    do {
      count += 1;
      unique = `${id}#${count}`;
    } while (this.#seen.has(unique));
    this.#seen.set(id, count);
    this.#seen.set(unique, 1);
    return unique;
  }
}

/** Makes the session ids of a document unique, with a warning for each change. @param ids those of its earlier parts */
export function withUniqueIds(sessions: Iterable<Session>, problems: Problems, ids = new UniqueIds()): Session[] {
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
