import type { Session } from '../core/session.ts';
import type { SessionFacts } from '../core/session-outcome.ts';
import { sessionFacts } from '../metrics/shared/session-facts.ts';

/** What a list of sessions needs of a trace besides its report, to show its size and to group attempts of one task. */
export interface TraceFacts extends SessionFacts {
  readonly goal?: string;
}

/** @param changesState as of `createRuleView`. */
export function traceFacts(session: Session, changesState?: (toolName: string) => boolean): TraceFacts {
  return { ...sessionFacts(session, changesState), ...(session.goal === undefined ? {} : { goal: session.goal }) };
}
