import * as z from 'zod';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { judgedSession, judgedTurn, notApplicable, requireAnswer } from '../judged-metric.ts';
import type { Metric } from '../metric.ts';
import { BINARY, evidenceIds, LIKERT, REASON, UNIT } from '../shared/graded-question.ts';
import type { JudgedOutcome } from '../shared/judged-outcome.ts';
import type { RubricDefinition } from './definition.ts';
import { questionText } from './descriptions.ts';

/** A metric that a judge answers by a user's rubric. Its question is created once. */
export function rubricMetric(metric: RubricDefinition): Metric {
  const { name, scope, scale, threshold = null, optIn, samples } = metric;
  const question = scale === 'label' ? labelQuestion(metric) : scoreQuestion(metric, scale);
  const definition = {
    name,
    question: questionText(metric),
    source: 'a rubric of your configuration',
    scale,
    threshold,
    ...(optIn ? { optIn: true as const } : {}),
  };
  const asks = {
    question: () => question,
    interpret: interpretAnswer,
    samples: () => samples,
  };
  return scope === 'turn'
    ? judgedTurn({
        ...definition,
        // A rubric may be about actions, so a turn with steps is judged even without an answer.
        precheck: (view) => (view.turn.steps.length === 0 ? requireAnswer(view) : null),
        ask: asks,
      })
    : judgedSession({
        ...definition,
        precheck: ({ session }) => (session.turns.length === 0 ? NO_TURNS : null),
        ask: asks,
      });
}

const NO_TURNS = notApplicable('The session has no turns to judge.');

/** Null: the rubric does not apply. */
type CustomRubricAnswer = { readonly evidence: readonly string[]; readonly reason: string } & (
  | { readonly score: number | null }
  | { readonly label: string | null }
);

function interpretAnswer(answer: CustomRubricAnswer): JudgedOutcome {
  const details = { reason: answer.reason, cited: answer.evidence };
  const value = 'score' in answer ? answer.score : answer.label;
  if (value === null) return { status: 'not_applicable', ...details };
  return typeof value === 'number' ? { score: value, ...details } : { labels: [value], ...details };
}

const SCORES = { unit: UNIT, likert: LIKERT, binary: BINARY } as const;

function scoreQuestion(metric: RubricDefinition, scale: keyof typeof SCORES): Question<CustomRubricAnswer> {
  const score = SCORES[scale].nullable();
  return defineQuestion({
    ...questionBase(
      metric,
      'score',
      `${ANCHORS[scale]} Where the criterion says itself what a step means, that holds.`,
    ),
    answer: ({ id }) => z.object({ evidence: evidenceIds(id), reason: REASON, score }),
  });
}

function labelQuestion(metric: RubricDefinition): Question<CustomRubricAnswer> {
  const label = z.enum(metric.labels ?? []).nullable();
  return defineQuestion({
    ...questionBase(metric, 'label', 'Give the one label that fits best.'),
    answer: ({ id }) => z.object({ evidence: evidenceIds(id), reason: REASON, label }),
  });
}

/** Default anchors of the scale, for rubrics that define none. */
const ANCHORS = {
  unit: '1 fully met; 0.75 to 0.99 but for minor points; 0.5 to 0.74 in part; 0.25 to 0.49 mostly not; below 0.25 not at all.',
  likert: '5 fully met; 4 but for minor points; 3 in part; 2 mostly not; 1 not at all, or the contrary.',
  binary: '1 fully met; 0 if any part of it is not.',
} as const;

function questionBase({ name, scope, rubric }: RubricDefinition, field: string, steps: string) {
  const what = scope === 'turn' ? "the agent's work in this turn" : "the agent's work in the whole session";
  return {
    // No question of a metric that Turnwise has is called so.
    name: `custom_${name}`,
    context: scope,
    instructions: `Judge ${what} by the criterion between the quotation marks alone:
"""
${rubric.trim()}
"""
${steps}
Go by what the passages show; the agent's own praise of its work is no evidence. Length, politeness and whatever else the criterion does not speak of do not count.
${field}: null only if the criterion is about something that did not arise here, so that it can be neither met nor missed; the reason then says what did not arise.`,
  };
}
