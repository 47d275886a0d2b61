import { get } from '../../core/json.ts';
import type { MetricOutcome } from '../../core/result.ts';
import { judgedSession, NEEDS_JUDGE, notApplicable } from '../judged-metric.ts';
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
 * Strictly binary: partial work is not completion. Without a goal, the issue that the judge of resolution_rate sees in the
 * user's messages stands in for it. Findings neither decide nor cap it: a rule proves that a call failed or an answer is
 * wrong, but not that the goal depended on it.
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
  precheck: (view) => requireAnyRecord(view) ?? (hasGoal(view) ? null : inferOutcome(view)),
  ask: { question: () => QUESTION, interpret: interpretGrade },
});

const NO_GOAL = notApplicable('The session has no goal, and no judge infers one: resolution_rate does not run.');
const NO_ISSUE = notApplicable('The session has no goal, and nothing that the user came with.');
const PASSED_ON = notApplicable(
  'The session has no goal, and the agent passed the issue on: the trace does not show how it ended.',
);
const NOTHING_RECORDED = notApplicable('This session was not recorded.');

function hasGoal({ session: { goal } }: SessionView): boolean {
  return textOrEmpty(goal ?? null) !== '';
}

function requireAnyRecord({ session: { turns } }: SessionView) {
  const isBlank = turns.every(({ captured, output }) => captured === false && textOrEmpty(output) === '');
  return isBlank ? NOTHING_RECORDED : null;
}

/** From the answer of resolution_rate, which states the issue: no further question is asked. */
async function inferOutcome(view: SessionView): Promise<MetricOutcome> {
  const result = await view.laterResult('resolution_rate');
  if (!result) return NO_GOAL;
  const { status, score, source, judge, reason, evidence, metadata } = result;
  if (status === 'needs_judge') return NEEDS_JUDGE;
  if (status === 'error' || status === 'cancelled') {
    return { status, reason: `The session has no goal, and resolution_rate has no score. ${reason ?? ''}`.trim() };
  }
  if (get(metadata, 'escalated') === true) return PASSED_ON;
  if (status !== 'scored' || score === null || source !== 'judge') return NO_ISSUE;
  const inferred = { inferred: true, goal: get(metadata, 'issue') ?? null };
  return { status, score, source, ...(judge && { judge }), reason, evidence, metadata: inferred };
}
