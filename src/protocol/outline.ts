import * as z from 'zod/mini';
import { fileRow, fileUri, part, sessionRow } from './messages.ts';
import { request } from './request.ts';

const count = z.int().check(z.nonnegative());
const verdict = z.enum(['failed', 'undecided', 'passed']);

const outlineRow = z.object({
  file: fileRow,
  /** Its session, where it has one and no more. */
  session: z.nullable(sessionRow),
});
export type OutlineRow = z.infer<typeof outlineRow>;

/** How many sessions are held of each verdict, and how many that nothing is known of but that they are being evaluated. */
const verdicts = z.object({ failed: count, undecided: count, passed: count, underway: count });
export type Verdicts = z.infer<typeof verdicts>;

const outlined = z.object({
  total: count,
  rows: z.readonly(z.array(outlineRow)),
  verdicts,
  /** Files that could not be read, or not wholly. */
  unreadable: count,
  /** The names of all models that gave an answer that is held; none where the rules alone did. */
  judges: z.readonly(z.array(z.string())),
});
export type Outline = z.infer<typeof outlined>;

/** What is held, at a glance. A file that only goes on with a session of another has no row of its own. */
export const outline = request('turnwise/outline', z.object({ ...part }), outlined);

/**
 * The sessions of a verdict, or those that begin in a file; the riskiest first. What is being evaluated and has no verdict yet
 * is undecided.
 */
export const sessionsOf = request(
  'turnwise/sessionsOf',
  z.object({ of: z.union([z.object({ verdict }), z.object({ file: fileUri })]), ...part }),
  z.object({ total: count, rows: z.readonly(z.array(sessionRow)) }),
);
