import * as z from 'zod';
import type { Session } from '../core/session.ts';
import type { FunctionSubject } from '../metrics/custom/function-runner.ts';

/** What the process that calls functions is told. Sessions are sent once, and calls name them by their keys. */
export const childRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), key: z.int(), session: z.custom<Session>() }),
  z.object({ type: z.literal('forget'), key: z.int() }),
  z.object({
    type: z.literal('call'),
    id: z.int(),
    /** The configuration. */
    file: z.string(),
    /** The metric's position in `custom`, and its name, by which a file that has changed since is found out. */
    index: z.int(),
    name: z.string(),
    /** A key. */
    session: z.int(),
    about: z.custom<FunctionSubject>(),
  }),
]);
export type ChildRequest = z.output<typeof childRequest>;

/** What it answers: `started` once the function is about to be called, and then what became of it. */
export const childReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), id: z.int() }),
  z.object({ type: z.literal('returned'), id: z.int(), value: z.unknown() }),
  z.object({ type: z.literal('threw'), id: z.int(), message: z.string(), stack: z.string() }),
  /** The reason ends a sentence that begins with the function. */
  z.object({ type: z.literal('refused'), id: z.int(), reason: z.string() }),
]);
export type ChildReply = z.output<typeof childReply>;
