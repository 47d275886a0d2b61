import type { Session } from '../core/session.ts';

export interface SessionSelection {
  /** Only the session with this id. */
  readonly session?: string;
  /** Maximum number of sessions, evenly spaced over the input. */
  readonly sample?: number;
}

export function selectSessions(
  sessions: readonly Session[],
  { session, sample }: SessionSelection,
): readonly Session[] {
  const chosen = session === undefined ? sessions : sessions.filter(({ id }) => id === session);
  if (sample === undefined || sample >= chosen.length) return chosen;
  return Array.from({ length: sample }, (_, index) => chosen[Math.floor((index * chosen.length) / sample)]).flatMap(
    (one) => one ?? [],
  );
}
