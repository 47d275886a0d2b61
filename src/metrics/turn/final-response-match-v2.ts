import * as z from 'zod';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { judgedTurn } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { evidenceIds, REASON } from '../shared/graded-question.ts';
import { judgeSamples } from '../shared/judge-samples.ts';
import type { JudgedOutcome } from '../shared/judged-outcome.ts';
import { requireReferenceAnswer, scoreMissingAnswer } from '../shared/reference-answer.ts';
import { MATCH_VERDICTS, type MatchVerdict, normalizeVerdict, VALID_FIELD } from '../shared/verdict-label.ts';

interface MatchAnswer {
  readonly evidence: readonly string[];
  readonly reason: string;
  readonly [VALID_FIELD]: MatchVerdict;
}

const INSTRUCTIONS = `Does the agent's answer in this turn say what the reference answer (data: reference_answer) says?
valid: what the reference states in reply to the request is there with the same meaning, and nothing in the answer contradicts it. Wording, order, language, format and units do not matter where they mean the same ("15:00" is "3 pm"), nor does more detail than the reference has.
invalid: a fact, figure, name, condition or list entry of the reference is missing or differs, the answer contradicts or hedges it, or it gives no answer. Almost right and partly right are invalid.
Take the reference as right, even against the results in the record: whether the answer is well-founded is not asked here. Where the reference refuses or asks back, the answer has to do the same. A promise to say it later does not say it. Length, politeness and how the agent got there do not count.`;

/** One object per turn, because each turn has its own reference. */
function matchQuestion({ turn }: TurnView): Question<MatchAnswer> {
  return defineQuestion({
    name: 'final_response_match_v2',
    context: 'turn',
    instructions: INSTRUCTIONS,
    data: { reference_answer: turn.reference?.response ?? '' },
    answer: ({ id }) =>
      z.preprocess(
        normalizeVerdict,
        z.object({ evidence: evidenceIds(id), reason: REASON, [VALID_FIELD]: z.enum(MATCH_VERDICTS) }),
      ),
  });
}

/** The majority of several verdicts, valid or invalid; a tie is invalid. */
export const finalResponseMatchV2 = judgedTurn({
  name: 'final_response_match_v2',
  question: 'Does the answer say what the reference answer says?',
  source: 'ADK, metrics and scoring',
  scale: 'binary',
  threshold: 0.8,
  bands: [
    { from: 1, name: 'valid', meaning: 'The answer says what the reference says' },
    { from: 0, name: 'invalid', meaning: 'Part of the reference is missing or contradicted' },
  ],
  needs: ['reference'],
  optIn: true,
  experimental: true,
  options: z.strictObject({ samples: judgeSamples.default(5) }),
  precheck: (view) => requireReferenceAnswer(view) ?? scoreMissingAnswer(view),
  ask: {
    question: matchQuestion,
    interpret: (answer) => majorityVerdict([answer], 1),
    combine: (answers, _, { samples }) => majorityVerdict(answers, samples),
    samples: ({ samples }) => samples,
  },
});

/** The majority of the samples with a verdict; the others are counted in the metadata. */
function majorityVerdict(answers: readonly MatchAnswer[], sampleCount: number): JudgedOutcome {
  const valid = answers.filter((answer) => answer[VALID_FIELD] === 'valid').length;
  const verdict: MatchVerdict = valid * 2 > answers.length ? 'valid' : 'invalid';
  const { reason = '', evidence = [] } = answers.find((answer) => answer[VALID_FIELD] === verdict) ?? {};
  const votes = { valid, invalid: answers.length - valid, unanswered: sampleCount - answers.length };
  return { score: verdict === 'valid' ? 1 : 0, reason, cited: evidence, metadata: { verdict, votes } };
}
