import * as z from 'zod';
import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import { gradedQuestion, interpretGrade, LIKERT } from '../shared/graded-question.ts';
import { judgeSamples } from '../shared/judge-samples.ts';

const QUESTION = gradedQuestion({
  name: 'response_evaluation_score',
  score: LIKERT,
  instructions: `How good is the agent's answer in this turn, all in all, as a reply to what the user asked?
5 excellent: borne out by the record, complete and clear; 4 good: a minor point is missing or unclear; 3 acceptable: the main point is there, with gaps or detours; 2 poor: most of the request is missed, or a part of the answer is wrong; 1 worthless: it does not answer, or the record contradicts what matters.
Ask in this order: does the record bear it out, does it answer what was asked, is it complete, is it clear. A wrong figure, name or condition that the user would act on leaves 2 at most, and so does a claim of work that no result shows.
A refusal that the agent's instructions demand, and a question without which it cannot go on, are good where they say why or what is needed. Length, politeness, formatting and the agent's praise of its own work do not count.`,
});

/** One score for the answer as a whole. */
export const responseEvaluationScore = judgedTurn({
  name: 'response_evaluation_score',
  question: 'How good is the answer overall?',
  source: 'ADK, metrics and scoring',
  scale: 'likert',
  threshold: 3.5,
  bands: [
    { from: 5, name: 'excellent', meaning: 'Supported by the record, complete and clear' },
    { from: 4, name: 'good', meaning: 'A minor point is missing or unclear' },
    { from: 3, name: 'acceptable', meaning: 'The main point is there, with gaps or detours' },
    { from: 2, name: 'poor', meaning: 'Most of the request is missed, or a part is wrong' },
    { from: 1, name: 'worthless', meaning: 'No answer to the request, or a wrong one' },
  ],
  optIn: true,
  options: z.strictObject({ samples: judgeSamples }),
  precheck: (view) => requireRequest(view) ?? requireAnswer(view),
  ask: { question: () => QUESTION, interpret: interpretGrade, samples: ({ samples }) => samples },
});
