import { judgedTurn } from '../judged-metric.ts';
import { interpretPlanGrade, planQuestion, requirePlan } from '../shared/plan-questions.ts';

const QUESTION = planQuestion({
  name: 'plan_adherence',
  instructions: `How closely did the agent do what it had planned? Hold the steps of "plan" that have evidence against the calls, results and answer of this turn.
1 every step, in that order, and nothing else; 0.75 nearly all steps, in order, with minor deviations; 0.5 some steps skipped or reordered; 0.25 significant deviation; 0 what was done bears little relation to the plan.
A step is done where a call, a result or the answer itself shows it, not where the agent says so or ticks it off. Small means to a step, such as a look-up or a retry, are no extra action. A step that a result made impossible or needless is kept where the agent says so; one that is dropped without a word is skipped. A turn that stops to ask the user, or is stopped by them, is judged by the steps up to there.
Whether the plan was good, and whether the task was fulfilled, does not count.
score: null where "plan" has no step with evidence.`,
});

/** Vacuous with a score of 1 if the judge finds no plan. */
export const planAdherence = judgedTurn({
  name: 'plan_adherence',
  question: 'Did the agent follow its plan, in order?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  bands: [
    { from: 1, name: 'perfect adherence', meaning: 'Execution matches the plan exactly' },
    { from: 0.75, name: 'minor deviations', meaning: 'Nearly all steps, in order' },
    { from: 0.5, name: 'partial adherence', meaning: 'Some steps skipped or reordered' },
    { from: 0.25, name: 'weak adherence', meaning: 'Significant deviation from the plan' },
    { from: 0, name: 'no adherence', meaning: 'Execution bears little relation to the plan' },
  ],
  precheck: requirePlan,
  ask: {
    question: () => QUESTION,
    interpret: interpretPlanGrade,
    verdictInMetadata: true,
  },
});
