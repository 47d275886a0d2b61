import type { MetricOutcome } from '../../core/result.ts';
import type { Step, Turn } from '../../core/session.ts';
import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { gradedQuestion, interpretGrade, UNIT } from '../shared/graded-question.ts';
import { failuresAffecting, faultySteps, scoreFromFindings } from '../shared/rule-based-scores.ts';
import { taskAndOutcome, taskFact } from '../shared/task-fact.ts';

const QUESTION = gradedQuestion({
  name: 'step_efficiency',
  facts: [taskAndOutcome],
  instructions: `How much of what the agent did in this turn could have been spared for "task"?
1 every step served; 0.75 a small step or two to spare; 0.5 a good part to spare; 0.25 most of it; 0 next to nothing served.
To spare: a call repeated though nothing had changed, a result fetched that was there already, detours, work that nobody asked for, work ahead of need, reasoning that goes round in circles.
Not to spare: looking up what an answer or a change rests on, checking a change, one retry after an error that may pass, a question that only the user can answer, steps that the agent's rules demand; in coding work, reading, searching and running tests. A dead end counts only where what was known before ruled it out.
Steps that are missing are no economy and no waste: judge those that were taken. The length of the answer, how well it all turned out, and speed do not count.`,
  score: UNIT,
});

/** Redundant steps, needless calls and speculative work lower it. By findings: necessary steps / steps. */
export const stepEfficiency = judgedTurn({
  name: 'step_efficiency',
  question: 'Did the agent work without needless steps?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  // An agent that did nothing had no steps to save.
  precheck: (view) => requireRequest(view) ?? (view.turn.steps.length === 0 ? requireAnswer(view) : null),
  fromFindings: scoreByFindings,
  ask: {
    question: () => QUESTION,
    interpret: (answer, facts) => ({ ...interpretGrade(answer), metadata: { task: taskFact(facts).task } }),
    verdictInMetadata: true,
  },
});

function scoreByFindings(view: TurnView): MetricOutcome | null {
  const findings = failuresAffecting(view, 'step_efficiency');
  const work = workSteps(view.turn);
  const needless = faultySteps(work, findings).length;
  if (needless === 0) return null;
  // The answer is a step too, and never needless.
  const steps = work.length + (view.turn.output === null ? 0 : 1);
  return scoreFromFindings(findings, (steps - needless) / steps, { steps, needless });
}

/** The agent's steps without model calls: how many of those a trace shows depends on its format. */
function workSteps({ steps }: Turn): Step[] {
  return steps.filter((step) => step.type !== 'model' && !(step.type === 'tool' && step.requestedBy === 'user'));
}
