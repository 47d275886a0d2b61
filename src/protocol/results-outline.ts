import * as z from 'zod/mini';
import { verdictSchema } from '../core/schemas/report.ts';
import { fileRow, fileUri, pageParams, sessionRow } from './messages.ts';
import { defineRequest } from './rpc.ts';

const count = z.int().check(z.nonnegative());

const outlineRow = z.object({
  file: fileRow,
  /** Its session, where it has one and no more. */
  session: z.nullable(sessionRow),
});
export type OutlineRow = z.infer<typeof outlineRow>;

/** How many sessions are held of each verdict, and how many that nothing is known of but that they are being evaluated. */
const verdicts = z.object({ failed: count, undecided: count, passed: count, underway: count });
export type VerdictCounts = z.infer<typeof verdicts>;

const outlined = z.object({
  total: count,
  rows: z.readonly(z.array(outlineRow)),
  verdicts,
  /** Files that could not be read, or not wholly. */
  unreadable: count,
  /** The names of all models that gave an answer that is held; none where the rules alone did. */
  judges: z.readonly(z.array(z.string())),
});
export type ResultsOutline = z.infer<typeof outlined>;

/** What is held, at a glance. A file that only goes on with a session of another has no row of its own. */
export const resultsOutline = defineRequest('turnwise/outline', z.object({ ...pageParams }), outlined);

/**
 * The sessions of a verdict, or those that begin in a file; the riskiest first. What is being evaluated and has no verdict yet
 * is undecided.
 */
export const sessionsIn = defineRequest(
  'turnwise/sessionsOf',
  z.object({ of: z.union([z.object({ verdict: verdictSchema }), z.object({ file: fileUri })]), ...pageParams }),
  z.object({ total: count, rows: z.readonly(z.array(sessionRow)) }),
);
