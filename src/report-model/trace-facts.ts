import type { Session } from '../core/session.ts';
import type { SessionFacts } from '../core/session-outcome.ts';
import { sessionFacts } from '../metrics/shared/session-facts.ts';
import { type MissedCall, missedCalls } from './transcript/expected-calls.ts';

/** What a list of sessions needs of a trace besides its report, to show its size and to group attempts of one task. */
export interface TraceFacts extends SessionFacts {
  readonly goal?: string;
  /** Absent where nothing is missed. */
  readonly missedCalls?: readonly MissedCall[];
}

/** Of thousands of expected calls, the first say what is wrong. */
const MAX_MISSED = 20;

/** @param changesState as of `createRuleView`. */
export function traceFacts(session: Session, changesState?: (toolName: string) => boolean): TraceFacts {
  return {
    ...sessionFacts(session, changesState),
    ...(session.goal === undefined ? {} : { goal: session.goal }),
    ...missedCallFacts(session),
  };
}

export function missedCallFacts(session: Session): Pick<TraceFacts, 'missedCalls'> {
  const missed = missedCalls(session).slice(0, MAX_MISSED);
  return missed.length === 0 ? {} : { missedCalls: missed };
}
