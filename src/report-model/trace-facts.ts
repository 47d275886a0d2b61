import type { Session } from '../core/session.ts';
import type { SessionFacts } from '../core/session-outcome.ts';
import { sessionFacts } from '../metrics/shared/session-facts.ts';

/** What a list of sessions needs of a trace besides its report, to show its size and to group attempts of one task. */
export interface TraceFacts extends SessionFacts {
  readonly goal?: string;
}

export function traceFacts(session: Session): TraceFacts {
  return { ...sessionFacts(session), ...(session.goal === undefined ? {} : { goal: session.goal }) };
}
