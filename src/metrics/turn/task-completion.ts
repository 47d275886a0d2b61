import * as z from 'zod';
import { question } from '../../judge/question.ts';
import { judgedTurn, withoutAnswer, withoutRequest } from '../judged.ts';
import { taskAndOutcome, taskIn } from '../shared/task.ts';

/** One object for all turns: what its answer is like is made once. */
const ASKED = question({
  name: 'task_completion',
  sees: 'facts',
  facts: [taskAndOutcome],
  instructions: `How far does the outcome fulfil the task? Go by "task" and "outcome" alone.
1 everything that was asked for is there; 0.75 to 0.99 minor aspects are missing; 0.5 to 0.74 a part of it is done; 0.25 to 0.49 significant gaps; below 0.25 the task was not addressed.
A claim of success counts for nothing where the outcome shows none. A refusal that the rules of the agent demand, or a question that the task needs answered first, fulfils as much as could be done at that point. Length and politeness do not count.`,
  answer: () =>
    z.object({
      reason: z.string().describe('what is fulfilled and what is missing, in one or two sentences'),
      verdict: z.number().min(0).max(1),
    }),
});

/** Task and strictly factual outcome are extracted, then compared with each other alone. */
export const taskCompletion = judgedTurn({
  name: 'task_completion',
  question: 'Did the agent accomplish what the user asked for?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  bands: [
    { from: 1, name: 'complete', meaning: 'Task perfectly accomplished' },
    { from: 0.75, name: 'mostly complete', meaning: 'Minor aspects missing' },
    { from: 0.5, name: 'partially complete', meaning: 'Part of the task is done' },
    { from: 0.25, name: 'significant gaps', meaning: 'Significant gaps in completion' },
    { from: 0, name: 'not addressed', meaning: 'Task not meaningfully addressed' },
  ],
  // What was done without a word can be judged; a turn in which nothing happened cannot.
  settled: (view) => withoutRequest(view) ?? (view.turn.steps.length === 0 ? withoutAnswer(view) : null),
  asks: {
    question: () => ASKED,
    conclude({ reason, verdict }, facts) {
      const { task, outcome, evidence } = taskIn(facts);
      return { score: verdict, reason, cited: evidence, metadata: { task, outcome } };
    },
    verdictInMetadata: true,
  },
});
