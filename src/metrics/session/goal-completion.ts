import { judgedSession, notApplicable } from '../judged-metric.ts';
import type { SessionView } from '../metric.ts';
import { BINARY, gradedQuestion, interpretGrade } from '../shared/graded-question.ts';
import { textOrEmpty } from '../shared/text.ts';

const QUESTION = gradedQuestion({
  name: 'goal_completion',
  context: 'session',
  instructions: `Was the goal of the user fully achieved by the end of the session?
1 only if every part of it was; 0 if any part is missing, failed, or was merely discussed, offered or promised. There is nothing in between.
Conditions, amounts and fallbacks that the goal names count: where it says what to do if something cannot be had, doing that achieves it. It does not matter who did it, the agent, a sub-agent or the user. A goal that is information is achieved by being told it, in agreement with the results.
A change is achieved only if a call made it, and neither its result nor a later one shows that it failed or was undone; the agent saying so is no evidence. A call that is shown as "ok" in short came back without an error. A refusal leaves the goal unachieved, however right it was. Ask what was achieved, not how well the agent behaved or how pleased the user sounds.`,
  score: BINARY,
});

/**
 * Strictly binary: partial work is not completion. Needs a goal. Findings neither decide nor cap it: a rule proves that
 * a call failed or an answer is wrong, but not that the goal depended on it.
 */
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
  precheck: (view) => requireGoal(view) ?? requireAnyRecord(view),
  ask: { question: () => QUESTION, interpret: interpretGrade },
});

const NO_GOAL = notApplicable('The session has no goal.');
const NOTHING_RECORDED = notApplicable('This session was not recorded.');

function requireGoal({ session: { goal } }: SessionView) {
  return textOrEmpty(goal ?? null) === '' ? NO_GOAL : null;
}

function requireAnyRecord({ session: { turns } }: SessionView) {
  const isBlank = turns.every(({ captured, output }) => captured === false && textOrEmpty(output) === '');
  return isBlank ? NOTHING_RECORDED : null;
}
