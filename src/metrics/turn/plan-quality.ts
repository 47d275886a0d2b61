import { judgedTurn } from '../judged-metric.ts';
import { interpretPlanGrade, planQuestion, requirePlan } from '../shared/plan-questions.ts';

const QUESTION = planQuestion({
  name: 'plan_quality',
  instructions: `How good was the plan itself for "task", whether or not it was followed? Go by the steps of "plan" that have evidence, and by what the agent knew when it made them.
1 complete, coherent, nothing to spare; 0.75 minor flaws or a suboptimal choice; 0.5 it would work, with notable gaps; 0.25 significant issues; 0 it does not address the task.
Weigh: completeness (every part and condition of the task), order (what a step needs comes before it), economy (no step to spare), detail (enough to act by), fit (what the user meant, within the agent's rules and tools).
"Solve the problem" is no step to act by; a small task needs a small plan. To look up first and decide then is no gap, and what only a later result could show is no flaw. A step that breaks the agent's rules is a significant issue.
The number of steps, their wording and how it all turned out do not count.
score: null where "plan" has no step with evidence.`,
});

/** The quality of the plan, whether or not it was followed. Vacuous with a score of 1 if the judge finds none. */
export const planQuality = judgedTurn({
  name: 'plan_quality',
  question: 'Was the plan complete, logical, concise and suited to the task?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  bands: [
    { from: 1, name: 'excellent', meaning: 'Complete, coherent, optimal' },
    { from: 0.75, name: 'good', meaning: 'Minor flaws or suboptimal choices' },
    { from: 0.5, name: 'adequate but flawed', meaning: 'Works, with notable gaps' },
    { from: 0.25, name: 'weak', meaning: 'Significant issues' },
    { from: 0, name: 'inadequate', meaning: 'Does not address the task' },
  ],
  precheck: requirePlan,
  ask: {
    question: () => QUESTION,
    interpret: interpretPlanGrade,
    verdictInMetadata: true,
  },
});
