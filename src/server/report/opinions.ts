import type { Feedback, Session } from '../../core/session.ts';
import type { OpinionOf } from '../../protocol/panel.ts';
import type { Opinion } from '../../protocol/report-values.ts';
import { sentence } from './values.ts';

/** What a person thinks of something in a turn; of the session as a whole where the turn is null. */
export type OpinionIn = (turn: number | null, of: OpinionOf) => Opinion | null;

export const NO_OPINIONS: OpinionIn = () => null;

/** What was given since a session was read with its sidecars; null: it was taken back. */
const GIVEN = new WeakMap<Session, Map<string, Feedback | null>>();

/** As the sidecars of its files say. */
export function opinionsIn(session: Session | null): OpinionIn {
  if (!session) return NO_OPINIONS;
  return (turn, of) => {
    const given = GIVEN.get(session)?.get(keyOf(turn, of));
    const all = turn === null ? session.feedback : session.turns[turn]?.feedback;
    const found = given === undefined ? all?.findLast((one) => isAbout(one, of)) : given;
    return found ? { value: found.value, note: noteOf(found), at: found.at ?? null } : null;
  };
}

/** It stands in a sidecar now. */
export function remember(session: Session, turn: number | null, of: OpinionOf, feedback: Feedback | null): void {
  const given = GIVEN.get(session) ?? new Map<string, Feedback | null>();
  GIVEN.set(session, given.set(keyOf(turn, of), feedback));
}

function keyOf(turn: number | null, of: OpinionOf): string {
  return JSON.stringify([turn, of]);
}

function noteOf({ note = '' }: Feedback): string | null {
  return note === '' ? null : sentence(note);
}

export function isAbout({ metric, rule, label }: Feedback, of: OpinionOf): boolean {
  switch (of.type) {
    case 'turn':
      return metric === undefined && rule === undefined && label === undefined;
    case 'metric':
      return metric === of.metric;
    case 'rule':
      return rule === of.rule;
    case 'label':
      return label === of.label;
  }
}
