import type { TaskSummary } from '../../core/report.ts';
import type { SessionFacts, SessionOutcome, StateChange } from '../../core/session-outcome.ts';
import {
  type AttemptChanges,
  type AttemptComparison,
  changeText,
  standsOut,
} from '../../rules/attempts/attempt-comparison.ts';
import { type AttemptStanding, agreements } from './agreement.ts';
import { groupComparable } from './task-attempts.ts';

/** What attempts are compared by; a session without recorded content has no changes. */
export interface ComparableSession extends Pick<SessionOutcome, 'id' | 'source' | 'goal' | 'task' | 'facts'> {
  readonly turns: readonly Pick<SessionOutcome['turns'][number], 'index' | 'pointer' | 'file'>[];
}

/** A session beside the other attempts of its task, of which there is at least one. */
export interface ComparedSession {
  readonly id: string;
  readonly agreement: AttemptStanding;
  readonly comparison: AttemptComparison;
  /** Successful calls in all attempts of the task of which it is not known whether they change state. */
  readonly unknownCalls: number;
}

/** An attempt of an earlier run, by what it changed. */
export interface EarlierAttempt {
  /** Of its task; see `comparableKey`. */
  readonly key: string;
  readonly agent: string | null;
  readonly facts: Pick<SessionFacts, 'unknownCalls' | 'endedEarly' | 'fingerprint'>;
  /** Without the texts of arguments. */
  readonly changes: readonly StateChange[];
}

/**
 * Compares the sessions that are attempts of one task, whichever agent made them. Those without others are left out.
 *
 * @param earlier attempts of earlier runs, which count as others.
 */
export function compareSessions<Session extends ComparableSession>(
  sessions: readonly Session[],
  earlier: readonly EarlierAttempt[] = [],
): Map<Session, ComparedSession> {
  const compared = new Map<Session, ComparedSession>();
  const earlierByKey = Map.groupBy(earlier, ({ key }) => key);
  for (const [key, group] of groupComparable(sessions.filter(({ facts }) => facts.changes !== undefined))) {
    const before = earlierByKey.get(key) ?? [];
    if (group.length + before.length < 2) continue;
    const attempts = [...group.map(toAttemptChanges), ...before.map(earlierChanges)];
    const unknownCalls = [...group, ...before].reduce((sum, { facts }) => sum + (facts.unknownCalls ?? 0), 0);
    const all = agreements([
      ...group.map(({ task, facts: { changes = [], fingerprint, endedEarly } }) => ({
        changes: changes.map((change) => change.key),
        agent: task?.agent ?? null,
        fingerprint,
        endedEarly,
      })),
      ...before.map(({ agent, changes, facts: { fingerprint, endedEarly } }) => ({
        changes: changes.map((change) => change.key),
        agent,
        fingerprint,
        endedEarly,
        isEarlier: true,
      })),
    ]);
    for (const [index, session] of group.entries()) {
      const [own, agreement] = [attempts[index], all[index]];
      const majority = agreement?.majority;
      const likely = majority && attempts[majority.attempt];
      if (!own || !likely) continue;
      const { others } = agreement;
      const comparison = { own, others, majority: { ...likely, count: majority.count, isOwn: majority.isOwn } };
      compared.set(session, { id: session.id, agreement, comparison, unknownCalls });
    }
  }
  return compared;
}

function earlierChanges({ agent, changes }: EarlierAttempt): AttemptChanges {
  return { id: '', file: '', agent, changes, end: { turn: 0, pointer: '' }, isEarlier: true };
}

function toAttemptChanges({ id, source, task, facts: { changes = [] }, turns }: ComparableSession): AttemptChanges {
  const last = turns.at(-1);
  const end = {
    turn: last?.index ?? 0,
    pointer: last?.pointer ?? source.pointer,
    ...(last?.file === undefined ? {} : { file: last.file }),
  };
  return { id, file: source.file, agent: task?.agent ?? null, changes, end };
}

/** How far the attempts of a task agree, and which stand out; undefined where nothing was compared, or nothing is known to be changed. */
export function taskAgreement(attempts: readonly ComparedSession[]): TaskSummary['agreement'] {
  const [largest] = attempts
    .filter(({ agreement }) => agreement.anyChanges)
    .map(({ agreement: { others, isVoter }, comparison: { majority } }) => ({
      attempts: others + Number(isVoter),
      agreeing: majority.count + Number(majority.isOwn && isVoter),
      changes: majority.changes,
    }))
    .sort((a, b) => b.agreeing - a.agreeing);
  if (!largest) return undefined;
  const isLikely = 2 * largest.agreeing > largest.attempts;
  return {
    attempts: largest.attempts,
    agreeing: largest.agreeing,
    likely: isLikely ? largest.changes.map((change) => changeText(change)) : null,
    standOut: attempts.filter(({ comparison }) => standsOut(comparison)).map(({ id }) => id),
  };
}
