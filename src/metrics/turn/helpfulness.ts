import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import { gradedQuestion, interpretGrade, LIKERT } from '../shared/graded-question.ts';

const QUESTION = gradedQuestion({
  name: 'helpfulness',
  instructions: `How much closer does the answer of this turn bring the user to the goal? Where no goal is named, go by what the user says.
5 specific and actionable, directly advances it; 4 helpful, could be more specific or complete; 3 somewhat helpful, key details are missing; 2 vague or off the track; 1 unhelpful or counterproductive.
Judge what the user has now and did not have before: what was done for them, as results show, and what they can act on. Help that rests on figures or deeds which no result bears out is no help. Asking for what was given already is worth 2 at most.
A question that must be answered before anything can be done, a refusal that the agent's instructions demand, and a plain report that something failed are worth 4, or 5 if they say what is possible instead. Length, politeness and praise of its own work count for nothing.`,
  score: LIKERT,
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
  precheck: (view) => requireRequest(view) ?? requireAnswer(view),
  ask: { question: () => QUESTION, interpret: interpretGrade },
});
