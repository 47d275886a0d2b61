import * as z from 'zod';
import { question } from '../../judge/question.ts';
import { judgedTurn, withoutAnswer, withoutRequest } from '../judged.ts';

/** One object for all turns: what its answer is like is made once. */
const ASKED = question({
  name: 'helpfulness',
  sees: 'turn',
  instructions: `How much closer does the agent's answer in this turn bring the user to the goal?
5 specific and actionable, advances the goal; 4 helpful, could be more specific or complete; 3 somewhat helpful, key details are missing; 2 vague or off the track; 1 unhelpful or counterproductive.
Judge what the user can do with the answer now, as far as the results bear it out: help that rests on figures which no result shows is no help. Length, politeness and the agent's own praise of its work do not count.`,
  answer: ({ id }) =>
    z.object({
      evidence: z.array(id).describe('ids of the passages that decide'),
      reason: z.string().describe('one or two sentences'),
      score: z.int().min(1).max(5),
    }),
});

/** Specific and actionable for the user's goal. */
export const helpfulness = judgedTurn({
  name: 'helpfulness',
  question: 'Does the answer move the user closer to their goal?',
  source: 'Agentest, evaluation metrics',
  scale: 'likert',
  threshold: 3.5,
  bands: [
    { from: 5, name: 'advances the goal', meaning: 'Specific, actionable information' },
    { from: 4, name: 'helpful', meaning: 'Could be more specific or complete' },
    { from: 3, name: 'somewhat helpful', meaning: 'Missing key details' },
    { from: 2, name: 'minimally helpful', meaning: 'Vague or off-track' },
    { from: 1, name: 'unhelpful', meaning: 'Unhelpful or counterproductive' },
  ],
  settled: (view) => withoutRequest(view) ?? withoutAnswer(view),
  asks: {
    question: () => ASKED,
    conclude: ({ evidence, reason, score }) => ({ score, reason, cited: evidence }),
  },
});
