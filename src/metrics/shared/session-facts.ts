import { agentToolCalls, type Session } from '../../core/session.ts';
import type { SessionFacts } from '../../core/session-outcome.ts';
import { involvesHuman } from './escalation.ts';

/** What metrics of several sessions read of one, so that none of them needs its transcript. */
export function sessionFacts({ turns, reference }: Session): SessionFacts {
  const calls = turns.flatMap(agentToolCalls);
  return {
    toolSequence: calls.map(({ name }) => name),
    neededHuman: calls.some((step) => step.outcome === 'rejected' || involvesHuman(step)),
    ...(reference?.goalReached === undefined ? {} : { goalReached: reference.goalReached }),
  };
}
