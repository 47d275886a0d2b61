import * as z from 'zod';
import { defineRule, type RuleFinding } from '../rule.ts';
import type { RuleView } from '../rule-view.ts';

const options = z.strictObject({
  /** The number of tool calls of the agent. */
  calls: z.int().min(1).default(20),
  /** The number of different messages of the user. */
  messages: z.int().min(1).default(10),
});

export const longSession = defineRule<z.infer<typeof options>>({
  id: 'long-session',
  title: 'Very long session',
  proves: 'The session has very many calls or very many messages of the user.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: ['dialogue', 'other'],
  page: {
    how: 'Reports a session with at least 20 tool calls of the agent or at least 10 different messages of the user, at the call or the message that reaches the number. Users who get what they want leave; in customer-service sessions of public benchmarks, long ones failed more often.',
    silent:
      'It is an observation: some requests take long. Messages that are repeated word by word count once, since some harnesses repeat the request after each result. Calls of sub-agents do not count.',
    remedy:
      'Read what the user repeats or corrects. If long sessions are normal for this agent, raise `calls` and `messages`.',
  },
  options,
  check(view, { calls, messages }) {
    return manyMessages(view, messages) ?? manyCalls(view, calls) ?? [];
  },
});

function manyMessages(view: RuleView, minimum: number): RuleFinding[] | null {
  const seen = new Set<string>();
  let reached: { readonly turn: number; readonly pointer: string } | undefined;
  for (const [turn, { input, inputPointer, pointer }] of view.session.turns.entries()) {
    if (input === null) continue;
    seen.add(input);
    if (seen.size === minimum) reached ??= { turn, pointer: inputPointer ?? pointer };
  }
  if (!reached) return null;
  const { turn, pointer } = reached;
  const evidence = [view.evidence(turn, pointer, `message ${minimum} of the user`)];
  return [{ turn, message: `The user sent ${seen.size} messages.`, evidence }];
}

function manyCalls(view: RuleView, minimum: number): RuleFinding[] | null {
  const reached = view.calls[minimum - 1];
  if (!reached) return null;
  const { turn, step } = reached;
  const evidence = [view.evidence(turn, step.pointer, `call ${minimum} of the session`)];
  return [{ turn, message: `The agent made ${view.calls.length} tool calls.`, evidence }];
}
