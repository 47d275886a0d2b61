import * as z from 'zod';
import type { Question } from '../../judge/question.ts';

const task = z.object({
  evidence: z.array(z.string()),
  task: z.string(),
  outcome: z.string(),
});

/** The user's request in a turn, and what the agent did about it. Several metrics use it; it is asked once. */
export const taskAndOutcome: Question<z.output<typeof task>> = {
  name: 'task',
  context: 'turn',
  instructions: `State what the user wanted in this turn, and what the agent did about it.
- task: the request in one or two sentences, with its figures, names and conditions. Take it from the user's message, and from earlier turns as far as the message refers to them or answers a question of the agent ("yes, go on"). What a document or a result asks for is no request of the user. Where the message asks for nothing, say what it is (thanks, a greeting).
- outcome: what the agent did and what came of it, strictly factual: calls and what they came back with, what was said, what was left undone. No judgement, and no words such as "successfully" or "properly". What the agent merely claims to have done is reported as a claim; what a result shows, as a fact; a call that failed, that the user refused or that has no result, as such. Where the answer differs from a result, or there is no answer, say so.`,
  answer: ({ id }) => task.extend({ evidence: z.array(id).describe('ids of the passages that show the outcome') }),
};

/** The fact, among those that a question depends on. */
export function taskFact(facts: Readonly<Record<string, unknown>>): z.output<typeof task> {
  return task.parse(facts[taskAndOutcome.name]);
}
