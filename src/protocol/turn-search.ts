import * as z from 'zod/mini';
import { severitySchema } from '../core/schemas/result.ts';
import { STATUSES } from '../core/statuses.ts';
import { citation, count, list } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** Search and filter of the turns of a report. */

const names = z.optional(list(z.string()).check(z.maxLength(200)));

/** Criteria of turns: all must match; of a list, one must match. */
export const turnQuery = z.object({
  /** Has a score of one of these metrics, with the status or `belowThreshold` if given. */
  metrics: names,
  labels: names,
  severities: z.optional(list(severitySchema)),
  statuses: z.optional(list(z.enum(STATUSES))),
  belowThreshold: z.optional(z.boolean()),
  /** In the transcript and in the reasons of findings, ignoring case. */
  text: z.optional(z.string().check(z.maxLength(1000))),
});
export type TurnQuery = z.infer<typeof turnQuery>;

const turnHit = z.object({
  turn: count,
  /** Occurrences in the turn. */
  count,
  /** The first occurrence with its context. */
  snippet: z.object({ before: z.string(), match: z.string(), after: z.string() }),
  /** Its range in the whole text; null in the reason of a finding. */
  citation: z.nullable(citation),
});
export type TurnHit = z.infer<typeof turnHit>;

export const turnMatches = z.object({
  /** Zero-based indices, ascending. */
  turns: list(count),
  /** Occurrences of the text; 0 without one. */
  occurrences: count,
  /** One for each of the first matching turns. */
  hits: list(turnHit),
  /** The file is unavailable, so that texts were not searched. */
  unread: z.optional(z.literal(true)),
});
export type TurnMatches = z.infer<typeof turnMatches>;

/** Finds turns. Cancel a pending request before the next one. */
export const searchTurns = defineRequest(
  'turnwise/find',
  z.object({ session: z.string(), query: turnQuery }),
  turnMatches,
);
