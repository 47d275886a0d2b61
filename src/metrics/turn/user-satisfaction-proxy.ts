import * as z from 'zod';
import { defineQuestion } from '../../judge/question.ts';
import { judgedTurn, requireAnswer, requireRequest } from '../judged-metric.ts';
import { evidenceIds, REASON, UNIT } from '../shared/graded-question.ts';

const INDICATORS = ['helpfulness', 'completeness', 'clarity'] as const;

const indicator = z.object({ reason: REASON, score: UNIT });

/** One object for all turns, so that its answer schema is built once. */
const QUESTION = defineQuestion({
  name: 'user_satisfaction_proxy',
  context: 'turn',
  instructions: `How would the user who wrote the message of this turn rate the answer? Three scores from 0 to 1, each for itself.
- helpfulness: 1 the user can act on it at once; 0.75 it helps, and could be more specific; 0.5 key details are missing; 0.25 vague or beside the point; 0 no help, or harmful.
- completeness: 1 every part of the request is dealt with; 0.75 a minor part is missing; 0.5 about half is; 0.25 most is; 0 nothing is dealt with.
- clarity: 1 understood at first reading; 0.75 one point is unclear; 0.5 it has to be read again or asked about; 0.25 mostly unclear; 0 not to be understood.
Go by what the record bears out: a promise or a claim that no result shows helps nobody. Kind words and length count for nothing. A refusal that policy demands deals with its part where it says why and what is possible instead; so does a question that is needed first.`,
  answer: ({ id }) =>
    z.object({ evidence: evidenceIds(id), helpfulness: indicator, completeness: indicator, clarity: indicator }),
});

/** The mean of helpfulness, completeness and clarity, each 0 to 1. */
export const userSatisfactionProxy = judgedTurn({
  name: 'user_satisfaction_proxy',
  question: 'How satisfied would the user be with this answer?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  optIn: true,
  precheck: (view) => requireRequest(view) ?? requireAnswer(view),
  ask: {
    question: () => QUESTION,
    interpret({ evidence, ...answers }) {
      const each = INDICATORS.map((name) => ({ name, ...answers[name] }));
      return {
        score: each.reduce((sum, { score }) => sum + score, 0) / each.length,
        reason: each.map(({ name, score, reason }) => `${name} ${score.toFixed(2)}: ${reason}`).join(' '),
        cited: evidence,
        metadata: {
          ...Object.fromEntries(each.map(({ name, score }) => [name, score])),
          reasons: Object.fromEntries(each.map(({ name, reason }) => [name, reason])),
        },
      };
    },
  },
});
