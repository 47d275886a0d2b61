import * as z from 'zod';
import { question } from '../../judge/question.ts';
import { judgedSession, notApplicable } from '../judged.ts';
import { readable } from '../shared/text.ts';

/** One object for all turns: what its answer is like is made once. */
const ASKED = question({
  name: 'goal_completion',
  sees: 'session',
  instructions: `Was the goal fully achieved by the end of the session?
1 only if every part of it was done, and the tool results show that it was. 0 if any part is missing, was merely discussed, promised or claimed, or failed. There is nothing in between.
Where a goal lists conditions, each of them counts. The agent's own claims of success are no evidence; results of calls are.`,
  answer: ({ id }) =>
    z.object({
      evidence: z.array(id).describe('ids of the passages that decide'),
      reason: z.string().describe('which part decides, in one or two sentences'),
      score: z.literal([0, 1]),
    }),
});

/** Strictly binary: done, not discussed or in part. Needs a goal. */
export const goalCompletion = judgedSession({
  name: 'goal_completion',
  question: "Was the user's goal fully achieved by the end?",
  source: 'Agentest, evaluation metrics',
  scale: 'binary',
  threshold: 0.8,
  bands: [
    { from: 1, name: 'completed', meaning: 'The goal was fully completed' },
    { from: 0, name: 'not completed', meaning: 'The goal was not completed' },
  ],
  settled: ({ session }) => (readable(session.goal ?? null) === '' ? NO_GOAL : null),
  asks: {
    question: () => ASKED,
    conclude: ({ evidence, reason, score }) => ({ score, reason, cited: evidence }),
  },
});

const NO_GOAL = notApplicable('The session names no goal, so nothing says what to complete.');
