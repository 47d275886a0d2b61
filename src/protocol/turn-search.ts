import * as z from 'zod/mini';
import { severitySchema } from '../core/schemas/result.ts';
import { STATUSES } from '../core/statuses.ts';
import { citation, count, list } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** Which turns of a report are shown. */

const names = z.optional(list(z.string()).check(z.maxLength(200)));

/** What a turn must be to be shown: all of what is given. Of a list, one suffices. */
export const turnQuery = z.object({
  /** With a score of one of them; together with a status, or `belowThreshold`, that is what one of them must be. */
  metrics: names,
  labels: names,
  severities: z.optional(list(severitySchema)),
  statuses: z.optional(list(z.enum(STATUSES))),
  belowThreshold: z.optional(z.boolean()),
  /** In what was said and done, and in the reasons of what was found; whatever the case of its letters. */
  text: z.optional(z.string().check(z.maxLength(1000))),
});
export type TurnQuery = z.infer<typeof turnQuery>;

const turnHit = z.object({
  turn: count,
  /** How often the text occurs in the turn. */
  count,
  /** The first of them, with some words around it. */
  snippet: z.object({ before: z.string(), match: z.string(), after: z.string() }),
  /** Where that stands, in its whole text; null where it stands in the reason of a finding. */
  passage: z.nullable(citation),
});
export type TurnHit = z.infer<typeof turnHit>;

export const turnMatches = z.object({
  /** Zero-based indices of the turns, ascending. */
  turns: list(count),
  /** How often the text occurs; 0 without one. */
  occurrences: count,
  /** A hit for each of the first turns, in which the text occurs. */
  hits: list(turnHit),
  /** The texts could not be read again, and were not searched. */
  unread: z.optional(z.literal(true)),
});
export type TurnMatches = z.infer<typeof turnMatches>;

/** The turns that are wanted. Cancel the question when there is another. */
export const searchTurns = defineRequest(
  'turnwise/find',
  z.object({ session: z.string(), wanted: turnQuery }),
  turnMatches,
);
