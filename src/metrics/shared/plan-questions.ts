import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import type { Step, Turn } from '../../core/session.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { looksLikeNote, nameWords } from '../../rules/shared/tool-effect.ts';
import { requireRequest, vacuous } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { evidenceIds, type GradedAnswer, REASON, UNIT } from './graded-question.ts';
import type { JudgedOutcome } from './judged-outcome.ts';
import { taskAndOutcome, taskFact } from './task-fact.ts';
import { textOrEmpty } from './text.ts';

const plan = z.object({
  steps: z.array(z.object({ evidence: z.array(z.string()), step: z.string() })),
});

/** The plan that the agent wrote in a turn. Several metrics use it; it is asked once. */
const extractedPlan: Question<z.output<typeof plan>> = {
  name: 'plan',
  context: 'turn',
  instructions: `List the steps that the agent planned for this turn, in the order in which it meant to take them.
- A plan is what the agent itself said, before it acted, that it was going to do: in its thoughts, in what it says between calls, in a list that it keeps with a planning tool, or in an earlier answer to which the user agreed. It is implied where the agent's words name several steps ("first look up the order, then cancel it").
- No plan: calls that no words announced; a remark on nothing but the next call ("let me check"); advice to the user; steps that the user, the agent's instructions, a document or a result lays down, unless the agent takes them up in words of its own.
- Of a plan that was revised, list the steps as revised.
- One step an entry, in the agent's terms, with nothing added. evidence: ids of the agent's own passages that announce this step. Without a plan, an empty list.`,
  answer: ({ id }) =>
    z.object({
      steps: z.array(
        z.object({ evidence: z.array(id).describe('ids of the passages that announce it'), step: z.string() }),
      ),
    }),
};

/** A grade of a plan; the score is null without a plan. */
type PlanGrade = Omit<GradedAnswer, 'score'> & { readonly score?: number | null | undefined };

/** A question for a score of the plan, which may be null without a plan. Create it once. */
export function planQuestion({ name, instructions }: Pick<Question, 'name' | 'instructions'>): Question<PlanGrade> {
  return defineQuestion({
    name,
    instructions,
    context: 'turn',
    facts: [taskAndOutcome, extractedPlan],
    answer: ({ id }) =>
      z.object({
        evidence: evidenceIds(id),
        reason: REASON,
        score: UNIT.nullish().describe('null where "plan" has no step with evidence'),
      }),
  });
}

/** Vacuous with a score of 1 if the agent's words support no step of a plan, as in the source system. */
export function interpretPlanGrade(
  { evidence, reason, score }: PlanGrade,
  facts: Readonly<Record<string, unknown>>,
): JudgedOutcome {
  const { steps, dropped } = supportedPlan(facts);
  const metadata = { task: taskFact(facts).task, plan: steps, plan_steps_dropped: dropped };
  if (steps.length === 0) return { score: 1, vacuous: true, reason: noPlan(dropped), cited: [], metadata };
  if (score === null || score === undefined) {
    const size = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
    return { status: 'error', reason: `The judge found a plan of ${size} but gave it no score.`, cited: [], metadata };
  }
  return { score, reason, cited: evidence, metadata };
}

function noPlan(dropped: number): string {
  if (dropped === 0) return 'The judge found no plan in the turn.';
  return `The judge found no plan that the agent's own words support (steps left out: ${dropped}).`;
}

/** Excerpts of the agent's own words. A plan in a result or a message of the user is not the agent's. */
const AGENT_EXCERPT = /^t\d+\.(?:thought|text|calls?|answer|agent)\d*(?:\.|$)/;

/** The steps that the agent's own words support, and the number of others. */
function supportedPlan(facts: Readonly<Record<string, unknown>>): { steps: readonly string[]; dropped: number } {
  const { steps } = plan.parse(facts[extractedPlan.name]);
  const borneOut = steps.filter(({ evidence }) => evidence.some((id) => AGENT_EXCERPT.test(id)));
  return { steps: borneOut.map(({ step }) => step), dropped: steps.length - borneOut.length };
}

/** No question is needed if the agent wrote nothing that could contain a plan. */
export function requirePlan(view: TurnView): MetricOutcome | null {
  return requireRequest(view) ?? (mayHavePlan(view.turn) ? null : NO_PLAN);
}

const NO_PLAN = vacuous(
  1,
  'rules',
  'There is no plan: the agent wrote no reasoning and no text before its answer, and called no planning tool.',
);

function mayHavePlan({ steps, output }: Turn): boolean {
  const answer = steps.findLast((step) => step.type === 'model' && step.text !== undefined && step.text === output);
  return steps.some((step) => isThought(step) || (step !== answer && isText(step)) || isPlanning(step));
}

function isThought(step: Step): boolean {
  return step.type === 'model' && textOrEmpty(step.reasoning ?? null) !== '';
}

function isText(step: Step): boolean {
  return step.type === 'model' && textOrEmpty(step.text ?? null) !== '';
}

const PLANNING = new Set(['plan', 'plans', 'planner', 'planning', 'ledger']);

/** A tool or a sub-agent for planning or to-do notes, by its name. */
function isPlanning(step: Step): boolean {
  if (step.type === 'tool' && step.requestedBy === 'user') return false;
  if (step.type !== 'tool' && step.type !== 'agent') return false;
  return looksLikeNote(step.name) || nameWords(step.name).some((word) => PLANNING.has(word));
}
