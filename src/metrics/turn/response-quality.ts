import * as z from 'zod';
import { defineQuestion } from '../../judge/question.ts';
import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { findContradictions } from '../shared/contradictions.ts';
import { BINARY, evidenceIds, REASON } from '../shared/graded-question.ts';
import { capFromFindings, type ScoreCap } from '../shared/score-cap.ts';

/** ADK's four aspects, with the criteria of its content analysis for each; it has none for clarity. */
const CRITERIA = {
  relevance: ['query_alignment', 'context_appropriateness', 'user_intent'],
  completeness: ['information_coverage', 'follow_up_handling', 'detail_level'],
  clarity: [],
  accuracy: ['factual_correctness', 'consistency', 'source_attribution'],
} as const satisfies Record<string, readonly string[]>;

const ASPECTS = ['relevance', 'completeness', 'clarity', 'accuracy'] as const;
type Aspect = (typeof ASPECTS)[number];

const criterion = z
  .object({
    reason: z.string().nullish().describe('only for a "no": what is wrong'),
    holds: z.enum(['yes', 'no']).nullish(),
  })
  .refine(({ holds, reason }) => holds !== 'no' || Boolean(reason?.trim()), {
    path: ['reason'],
    error: 'a criterion that is "no" needs a reason',
  });

/** One object for all turns, so that its answer schema is built once. */
const QUESTION = defineQuestion({
  name: 'response_quality',
  context: 'turn',
  instructions: `Is the answer of this turn relevant, complete, clear and accurate?
Criteria first: "yes", "no", or null where one does not arise. "no" is a fault that this user would notice or suffer from.
- relevance: query_alignment, what was asked is answered; context_appropriateness, it fits what went before; user_intent, it serves the purpose behind the request.
- completeness: information_coverage, nothing needed is missing; follow_up_handling, the next step is covered; detail_level, neither too deep nor too shallow.
- accuracy: factual_correctness, as results, knowledge and policy show it; consistency, with itself and earlier answers; source_attribution, outside information names its source, where the user needs one.
Then each of these aspects: 1 if none of its criteria is "no", else 0. clarity: 1 if this user understands the answer at first reading, else 0.
A refusal that policy demands or a question needed first can be complete. Length is no merit.`,
  answer: ({ id }) => {
    const aspect = z.object({ evidence: evidenceIds(id), reason: REASON, score: BINARY });
    const criteria = z.object(
      Object.fromEntries(ASPECTS.flatMap((name) => CRITERIA[name].map((key) => [key, criterion]))),
    );
    return z
      .object({ criteria, relevance: aspect, completeness: aspect, clarity: aspect, accuracy: aspect })
      .superRefine((answer, { addIssue }) => {
        for (const name of ASPECTS) {
          const failing = CRITERIA[name].filter((key) => answer.criteria[key]?.holds === 'no');
          const message = checkAspect(name, answer[name].score, failing);
          if (message !== null) addIssue({ code: 'custom', path: [name, 'score'], message });
        }
      });
  },
});

function checkAspect(aspect: Aspect, score: number, failing: readonly string[]): string | null {
  if (CRITERIA[aspect].length === 0) return null;
  if (score === 1 && failing.length > 0) {
    return `${aspect} is 1 although ${failing.join(' and ')} is "no"; it is 1 only if none of its criteria is`;
  }
  return score === 0 && failing.length === 0
    ? `${aspect} is 0 although none of its criteria (${CRITERIA[aspect].join(', ')}) is "no"`
    : null;
}

/** Relevance, completeness, clarity and accuracy, 0 or 1 each, and their mean. */
export const responseQuality = judgedTurn({
  name: 'response_quality',
  question: 'Is the answer relevant, complete, clear and accurate?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  optIn: true,
  precheck: (view) => requireRequest(view) ?? requireAnswer(view),
  cap: capByContradiction,
  ask: {
    question: () => QUESTION,
    interpret({ criteria, ...aspects }) {
      const failing = ASPECTS.filter((name) => aspects[name].score === 0);
      const overall = (ASPECTS.length - failing.length) / ASPECTS.length;
      const first = [...failing, ...ASPECTS.filter((name) => !failing.includes(name))];
      return {
        score: overall,
        reason:
          failing.length === 0
            ? 'Relevant, complete, clear and accurate.'
            : failing.map((name) => `${FAULTS[name]}: ${aspects[name].reason}`).join(' '),
        cited: first.flatMap((name) => aspects[name].evidence),
        metadata: {
          ...Object.fromEntries(ASPECTS.map((name) => [name, aspects[name].score])),
          overall,
          reasons: Object.fromEntries(ASPECTS.map((name) => [name, aspects[name].reason])),
          criteria: Object.fromEntries(
            Object.entries(criteria).map(([name, { holds = null, reason = null }]) => [name, { holds, reason }]),
          ),
        },
      };
    },
  },
});

const FAULTS: Readonly<Record<Aspect, string>> = {
  relevance: 'Not relevant',
  completeness: 'Not complete',
  clarity: 'Not clear',
  accuracy: 'Not accurate',
};

/** An answer that provably contradicts the record is not accurate. */
function capByContradiction(view: TurnView): ScoreCap | null {
  return capFromFindings(findContradictions(view), (ASPECTS.length - 1) / ASPECTS.length);
}
