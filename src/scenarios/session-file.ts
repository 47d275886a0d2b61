import type { AgentFacts } from './agents/agent.ts';
import type { AttemptConversation } from './attempt.ts';
import type { Scenario } from './scenario.ts';

export interface AttemptIdentity {
  /** Unique in the run, and the same in the next one. */
  readonly id: string;
  readonly scenario: Scenario;
  /** From 1. */
  readonly trial: number;
  readonly agent: string;
}

/** The text of the session file of an attempt, in Turnwise's own format (docs/session-file.md). */
export function sessionFileText(
  { id, scenario, trial, agent }: AttemptIdentity,
  conversation: AttemptConversation,
  facts: AgentFacts = {},
): string {
  const { name, goal, profile, knowledge, tags, assertions, finalState: expectedState, turns: script = [] } = scenario;
  const { turns, failure, stop, finalState } = conversation;
  const reference = {
    ...(assertions === undefined ? {} : { expectations: assertions }),
    ...(expectedState === undefined ? {} : { finalState: expectedState }),
  };
  const session = {
    id,
    goal,
    profile,
    ...facts,
    knowledge: knowledge?.map(({ content }) => content),
    task: { id: name, trial: String(trial), agent, declared: true },
    tags,
    reference: Object.keys(reference).length === 0 ? undefined : reference,
    turns: turns.map((turn, index) => {
      const { assertions: expectations, response } = script[index] ?? {};
      const isExpected = expectations !== undefined || response !== undefined;
      return { ...turn, ...(isExpected && { reference: { expectations, response } }) };
    }),
    ending: endingOf(failure ?? stop),
    finalState,
  };
  return `${JSON.stringify({ turnwise: 1, sessions: [session] }, null, 2)}\n`;
}

function endingOf(end: AttemptConversation['failure'] | AttemptConversation['stop']) {
  return end === null ? undefined : { cause: end.cause, reason: end.reason };
}
