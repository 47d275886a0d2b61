import * as z from 'zod';
import { isProblemLevel } from '../../core/severity.ts';
import { defineQuestion } from '../../judge/question.ts';
import { claimWithoutCall } from '../../rules/dialogue-en/claim-without-call.ts';
import { successAfterError } from '../../rules/dialogue-en/success-after-error.ts';
import { testsClaimedToPass } from '../../rules/dialogue-en/tests-claimed-to-pass.ts';
import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { REASON, UNIT } from '../shared/graded-question.ts';
import { capFromFindings, type ScoreCap } from '../shared/score-cap.ts';
import { taskAndOutcome, taskFact } from '../shared/task-fact.ts';

/** One object for all turns, so that its answer schema is built once. */
const QUESTION = defineQuestion({
  name: 'task_completion',
  context: 'facts',
  facts: [taskAndOutcome],
  instructions: `How far does the outcome fulfil the task? Go by "task" and "outcome" alone.
1 all that was asked for is there, with every condition; 0.75 to 0.99 minor aspects are missing; 0.5 to 0.74 a part is done and a part that matters is not; 0.25 to 0.49 significant gaps; below 0.25 the task was hardly addressed.
A deed that is only claimed, and that no result shows, counts for nothing; a text or an answer that was asked for is there once it is given. What was begun and not finished counts as far as it went. What was done beyond the task adds nothing.
As much as could be done at that point is complete: a refusal that the agent's rules demand, a question without whose answer the task cannot go on, a plain statement that it is impossible with the reason that a result gives. A needless question, or a refusal for convenience, is not. Where the message asked for nothing, a fitting reply is all.
Length, politeness and effort do not count.`,
  answer: () => z.object({ reason: REASON.describe('what is fulfilled and what is missing'), verdict: UNIT }),
});

/**
 * Findings that contradict completion: each proves that the answer reports something as done that was not. The list is
 * short on purpose. An unrecovered error may have been a side track, a turn without an answer may have done its work, and
 * a wrong figure may be a detail: these are facts for the judge and cap nothing.
 */
const CONTRADICTING_RULES: ReadonlySet<string> = new Set([
  successAfterError.id,
  testsClaimedToPass.id,
  claimWithoutCall.id,
]);

/** The highest score of "partially complete": other parts of the task may be done. */
const PARTIALLY_COMPLETE = 0.74;

/** The task and a strictly factual outcome are extracted, then only these two are compared. */
export const taskCompletion = judgedTurn({
  name: 'task_completion',
  question: 'Did the agent do what the user asked for?',
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
  // A turn with steps but without an answer can be judged; an empty one cannot.
  precheck: (view) => requireRequest(view) ?? (view.turn.steps.length === 0 ? requireAnswer(view) : null),
  cap: capByContradiction,
  ask: {
    question: () => QUESTION,
    interpret({ reason, verdict }, facts) {
      const { task, outcome, evidence } = taskFact(facts);
      return { score: verdict, reason, cited: evidence, metadata: { task, outcome } };
    },
    verdictInMetadata: true,
  },
});

function capByContradiction({ findings }: TurnView): ScoreCap | null {
  const contradicting = findings.filter(
    ({ rule, severity }) => CONTRADICTING_RULES.has(rule) && isProblemLevel(severity),
  );
  return capFromFindings(contradicting, PARTIALLY_COMPLETE);
}
