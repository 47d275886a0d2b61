import * as z from 'zod/mini';
import { defineNotification, defineRequest } from './rpc.ts';

const openQuestion = z.object({
  id: z.string(),
  /** What an evaluation waits for, in a few words. */
  title: z.string(),
  text: z.string(),
  answers: z.readonly(z.array(z.object({ id: z.string(), label: z.string() }))),
});
/** A question to the user that an evaluation waits for. */
export type OpenQuestion = z.infer<typeof openQuestion>;

/** All questions that evaluations wait for now. */
export const openQuestions = defineNotification(
  'turnwise/questions',
  z.object({ questions: z.readonly(z.array(openQuestion)) }),
);

/** Answers a question; does nothing where it was answered meanwhile. */
export const answerQuestion = defineRequest(
  'turnwise/answer',
  z.object({ id: z.string(), answer: z.string() }),
  z.object({}),
);
