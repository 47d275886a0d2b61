import * as z from 'zod/mini';
import type { FunctionAnswer } from './function-judge.ts';

const path = z.readonly(z.array(z.union([z.string(), z.int()])));

/** Requests to the process that calls functions. Shared values are sent once; calls name them by their keys. */
export const childRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('share'), key: z.int(), value: z.custom<object>() }),
  z.object({ type: z.literal('forget'), key: z.int() }),
  z.object({
    type: z.literal('call'),
    id: z.int(),
    /** The module, and where the function stands in its default export. */
    file: z.string(),
    path,
    ownerName: z.nullable(z.string()),
    args: z.array(z.unknown()),
    shared: z.array(z.object({ key: z.int(), from: path, to: path })),
    /** Where in the arguments the function that asks the judge goes. */
    judge: z.optional(path),
  }),
  /** The reply to `ask`. */
  z.object({ type: z.literal('answer'), question: z.int(), answer: z.custom<FunctionAnswer>() }),
]);
export type ChildRequest = z.output<typeof childRequest>;

/** Replies to a call: `started` when the function is about to be called, questions to the judge, then its result. */
export const childReply = z.discriminatedUnion('type', [
  /** The function asks the judge. */
  z.object({
    type: z.literal('ask'),
    id: z.int(),
    question: z.int(),
    ask: z.object({
      instructions: z.string(),
      text: z.optional(z.string()),
      schema: z.record(z.string(), z.unknown()),
    }),
  }),
  z.object({ type: z.literal('started'), id: z.int() }),
  z.object({ type: z.literal('returned'), id: z.int(), value: z.unknown() }),
  z.object({ type: z.literal('threw'), id: z.int(), message: z.string(), stack: z.string() }),
  /** It was not called, or what it returned cannot be sent. The reason ends a sentence that begins with the function. */
  z.object({ type: z.literal('refused'), id: z.int(), reason: z.string() }),
]);
export type ChildReply = z.output<typeof childReply>;
