import type { Evidence, MetricOutcome } from '../../core/result.ts';
import type { ModelStep, Step, Turn } from '../../core/session.ts';
import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { gradedQuestion, interpretGrade, UNIT } from '../shared/graded-question.ts';
import {
  failuresAffecting,
  faultySteps,
  findingReferences,
  scoreFromFindings,
  summarizeFindings,
} from '../shared/rule-based-scores.ts';
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

/**
 * Redundant steps, needless calls, reasoning that goes round in circles and speculative work lower it. By rules: necessary
 * steps / steps.
 */
export const stepEfficiency = judgedTurn({
  name: 'step_efficiency',
  question: 'Did the agent work without needless steps?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  // An agent that did nothing had no steps to save.
  precheck: (view) => requireRequest(view) ?? (view.turn.steps.length === 0 ? requireAnswer(view) : null),
  fromFindings: scoreByRules,
  ask: {
    question: () => QUESTION,
    interpret: (answer, facts) => ({ ...interpretGrade(answer), metadata: { task: taskFact(facts).task } }),
    verdictInMetadata: true,
  },
});

function scoreByRules(view: TurnView): MetricOutcome | null {
  const findings = failuresAffecting(view, 'step_efficiency');
  const work = workSteps(view.turn);
  const repeated = repeatedReasoning(view.turn);
  const needless = faultySteps(work, findings).length + repeated.length;
  if (needless === 0) return null;
  // The answer is a step too, and never needless. Reasoning is a step where it is a repetition.
  const steps = work.length + repeated.length + (view.turn.output === null ? 0 : 1);
  const score = (steps - needless) / steps;
  if (repeated.length === 0) return scoreFromFindings(findings, score, { steps, needless });
  return {
    status: 'scored',
    score,
    source: 'rules',
    reason: [summarizeFindings(findings), describeRepetition(repeated.length)].filter((part) => part !== '').join(' '),
    evidence: [
      ...findings.flatMap(({ evidence }) => evidence),
      ...repeated.slice(0, MAX_EVIDENCE).map(repetitionEvidence),
    ],
    metadata: { findings: findingReferences(findings), steps, needless, repeatedReasoning: repeated.length },
    verdictInMetadata: true,
  };
}

/** Fewer words may be a habit: "I need to look up the order first." */
const MIN_REASONING_WORDS = 20;

/** Pieces of repeated reasoning that the evidence points to. */
const MAX_EVIDENCE = 3;

/** The model calls of a turn whose reasoning has the same words, in the same order, as that of an earlier one. */
function repeatedReasoning({ steps }: Turn): ModelStep[] {
  const seen = new Set<string>();
  return steps.filter((step): step is ModelStep => {
    if (step.type !== 'model' || !step.reasoning) return false;
    const words = step.reasoning.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length < MIN_REASONING_WORDS) return false;
    const text = words.join(' ');
    if (seen.has(text)) return true;
    seen.add(text);
    return false;
  });
}

function describeRepetition(count: number): string {
  return `The agent repeated its reasoning word for word${count === 1 ? '' : `, ${count} times`}.`;
}

function repetitionEvidence({ pointer }: ModelStep): Evidence {
  return { pointer, note: 'the same reasoning as before' };
}

/** The agent's steps without model calls: how many of those a trace shows depends on its format. */
function workSteps({ steps }: Turn): Step[] {
  return steps.filter((step) => step.type !== 'model' && !(step.type === 'tool' && step.requestedBy === 'user'));
}
