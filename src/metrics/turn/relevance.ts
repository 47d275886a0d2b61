import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import { gradedQuestion, interpretGrade, LIKERT } from '../shared/graded-question.ts';

const QUESTION = gradedQuestion({
  name: 'relevance',
  instructions: `Does every part of the answer address the user's message and goal?
5 all of it does; 4 minor tangents; 3 irrelevant content is mixed in; 2 most of it is off topic; 1 nothing in it addresses the user, or it answers another question than the one asked.
Judge what the answer is about, and neither whether it is right nor how much was achieved: a wrong or incomplete answer to the question is relevant.
Relevant: what the request needs in order to be understood or carried out, a report of what was done for it, a question back that it needs, a refusal with its reason, a notice that the agent's instructions demand, a warning about a consequence, a few words of courtesy. A message outside the agent's tasks is addressed by saying so.
Not relevant: features, products or advice that nobody asked about and the goal does not need, the agent's inner workings, answers to matters settled before.`,
  score: LIKERT,
});

/** Tangents and answers to another question lower it. */
export const relevance = judgedTurn({
  name: 'relevance',
  question: 'Does every part of the answer address the user and their goal?',
  source: 'Agentest, evaluation metrics',
  scale: 'likert',
  threshold: 4,
  bands: [
    { from: 5, name: 'on topic', meaning: "Everything addresses the user's needs" },
    { from: 4, name: 'mostly relevant', meaning: 'Minor tangents' },
    { from: 3, name: 'mixed', meaning: 'Some irrelevant content' },
    { from: 2, name: 'mostly off topic', meaning: 'Most of it does not address the user' },
    { from: 1, name: 'irrelevant', meaning: 'Completely irrelevant' },
  ],
  precheck: (view) => requireRequest(view) ?? requireAnswer(view),
  ask: { question: () => QUESTION, interpret: interpretGrade },
});
