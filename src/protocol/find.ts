import * as z from 'zod/mini';
import { STATUSES } from '../core/result.ts';
import { count, list, passage, severity } from './report-values.ts';
import { request } from './request.ts';

/** Which turns of a report are shown. */

const names = z.optional(list(z.string()).check(z.maxLength(200)));

/** What a turn must be to be shown: all of what is given. Of a list, one suffices. */
export const wanted = z.object({
  /** With a score of one of them; together with a status, or `belowThreshold`, that is what one of them must be. */
  metrics: names,
  labels: names,
  severities: z.optional(list(severity)),
  statuses: z.optional(list(z.enum(STATUSES))),
  belowThreshold: z.optional(z.boolean()),
  /** In what was said and done, and in the reasons of what was found; whatever the case of its letters. */
  text: z.optional(z.string().check(z.maxLength(1000))),
});
export type Wanted = z.infer<typeof wanted>;

const hit = z.object({
  turn: count,
  /** How often the text occurs in the turn. */
  count,
  /** The first of them, with some words around it. */
  snippet: z.object({ before: z.string(), match: z.string(), after: z.string() }),
  /** Where that stands, in its whole text; null where it stands in the reason of a finding. */
  passage: z.nullable(passage),
});
export type Hit = z.infer<typeof hit>;

export const found = z.object({
  /** Zero-based indices of the turns, ascending. */
  turns: list(count),
  /** How often the text occurs; 0 without one. */
  occurrences: count,
  /** A hit for each of the first turns, in which the text occurs. */
  hits: list(hit),
  /** The texts could not be read again, and were not searched. */
  unread: z.optional(z.literal(true)),
});
export type Found = z.infer<typeof found>;

/** The turns that are wanted. Cancel the question when there is another. */
export const find = request('turnwise/find', z.object({ session: z.string(), wanted }), found);
