import * as z from 'zod';
import { defineQuestion, type Question } from '../../judge/question.ts';
import type { JudgedOutcome } from './judged-outcome.ts';

/** What most questions are answered with, in the order in which a model writes it: evidence, reason, score. */
export interface GradedAnswer {
  readonly evidence: readonly string[];
  readonly reason: string;
  readonly score: number;
}

export const UNIT: z.ZodType<number> = z.number().min(0).max(1);
export const LIKERT: z.ZodType<number> = z.int().min(1).max(5);
export const BINARY: z.ZodType<number> = z.literal([0, 1]);

/** Ids of the passages that an answer rests on. `id` is what the prompt shows. */
export function evidenceIds(id: z.ZodType<string>) {
  return z.array(id).describe('ids of the few passages that decide');
}

export const REASON = z.string().describe('what decides, in one or two sentences');

/** A question for one score. To be made once, and not for each turn. */
export function gradedQuestion(
  asked: Pick<Question, 'name' | 'instructions' | 'facts' | 'data'> & {
    readonly sees?: Question['context'];
    readonly score: z.ZodType<number>;
  },
): Question<GradedAnswer> {
  const { score, sees = 'turn', ...rest } = asked;
  return defineQuestion({
    ...rest,
    context: sees,
    answer: ({ id }) => z.object({ evidence: evidenceIds(id), reason: REASON, score }),
  });
}

export function interpretGrade({ evidence, reason, score }: GradedAnswer): JudgedOutcome {
  return { score, reason, cited: evidence };
}
