import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import { askRubrics, requireRubrics, rubricOptions } from '../shared/rubrics.ts';

const INSTRUCTIONS = `Does each of the statements below hold of the agent's answer in this turn?
"yes" where the answer has what the statement says, throughout; "no" where it lacks it, has it in part only, or says so of itself without having it; null only where the statement has a condition that did not come up in this turn, or where the record leaves out what would tell. That the answer might have it is no "yes".
Read each statement by its words, ask no more than it says, and judge it alone. What the user said and what the calls returned tells whether the answer is right where a statement is about that; how the agent got there does not count. Length, politeness and style count only where the statement is about them. A refusal or a question back is judged by the statements like every other answer.`;

/** Yes or no for each rubric by majority, a tie is no; the mean of those answered. */
export const rubricBasedFinalResponseQualityV1 = judgedTurn({
  name: 'rubric_based_final_response_quality_v1',
  question: 'Does the answer meet the rubrics?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['rubrics'],
  options: rubricOptions,
  precheck: (view, options) => requireRubrics(view, options) ?? requireAnswer(view),
  ask: askRubrics('rubric_based_final_response_quality_v1', INSTRUCTIONS),
});
