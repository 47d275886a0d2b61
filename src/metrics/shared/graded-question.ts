import * as z from 'zod';
import { defineQuestion, type Question } from '../../judge/question.ts';
import type { JudgedOutcome } from './judged-outcome.ts';

/** The answer to most questions, in the order in which a model writes it: evidence, reason, score. */
export interface GradedAnswer {
  readonly evidence: readonly string[];
  readonly reason: string;
  readonly score: number;
}

export const UNIT: z.ZodType<number> = z.number().min(0).max(1);
export const LIKERT: z.ZodType<number> = z.int().min(1).max(5);
export const BINARY: z.ZodType<number> = z.literal([0, 1]);

/** Ids of the excerpts that an answer cites. @param id the ids that the prompt shows. */
export function evidenceIds(id: z.ZodType<string>) {
  return z.array(id).describe('ids of the few passages that decide');
}

export const REASON = z.string().describe('what decides, in one or two sentences');

/** A question for one score. Create it once, not for each turn. */
export function gradedQuestion(
  definition: Pick<Question, 'name' | 'instructions' | 'facts' | 'data'> & {
    readonly context?: Question['context'];
    readonly score: z.ZodType<number>;
  },
): Question<GradedAnswer> {
  const { score, context = 'turn', ...rest } = definition;
  return defineQuestion({
    ...rest,
    context,
    answer: ({ id }) => z.object({ evidence: evidenceIds(id), reason: REASON, score }),
  });
}

export function interpretGrade({ evidence, reason, score }: GradedAnswer): JudgedOutcome {
  return { score, reason, cited: evidence };
}
