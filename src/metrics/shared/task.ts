import * as z from 'zod';
import type { Question } from '../../judge/question.ts';

const task = z.object({
  evidence: z.array(z.string()),
  task: z.string(),
  outcome: z.string(),
});

/** What the user wanted of a turn, and what the agent did about it; metrics that share it ask for it once. */
export const taskAndOutcome: Question<z.output<typeof task>> = {
  name: 'task',
  sees: 'turn',
  instructions: `State what the user wanted in this turn, and what the agent did about it.
- task: the request in one or two sentences, with its figures, names and conditions. Take it from the user's words, and from earlier turns only as far as this message refers to them.
- outcome: what the agent did and what came of it, strictly factual: calls and their results, what was said. No judgement, and no words such as "successfully" or "properly". What the agent merely claims is reported as a claim; what a result shows is reported as a fact.
- evidence: the ids of the passages that show the outcome.`,
  answer: ({ id }) => task.extend({ evidence: z.array(id).describe('ids of the passages that show the outcome') }),
};

/** The fact as a question that rested on it got it. */
export function taskIn(facts: Readonly<Record<string, unknown>>): z.output<typeof task> {
  return task.parse(facts[taskAndOutcome.name]);
}
