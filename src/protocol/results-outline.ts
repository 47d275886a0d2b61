import * as z from 'zod/mini';
import { verdictSchema } from '../core/schemas/report.ts';
import { fileRow, fileUri, pageParams, sessionRow } from './messages.ts';
import { defineRequest } from './rpc.ts';

const count = z.int().check(z.nonnegative());

const outlineRow = z.object({
  file: fileRow,
  /** Its session, if it has exactly one. */
  session: z.nullable(sessionRow),
});
export type OutlineRow = z.infer<typeof outlineRow>;

/** The number of sessions per verdict, and of those that are evaluated for the first time. */
const verdicts = z.object({ failed: count, undecided: count, passed: count, pending: count });
export type VerdictCounts = z.infer<typeof verdicts>;

const outlined = z.object({
  total: count,
  rows: z.readonly(z.array(outlineRow)),
  verdicts,
  /** Files that are unreadable or partly unreadable. */
  unreadable: count,
  /** The names of all models that judged; empty for rules only. */
  judges: z.readonly(z.array(z.string())),
});
export type ResultsOutline = z.infer<typeof outlined>;

/** The overview of all results. A file that only continues a session of another file has no row. */
export const resultsOutline = defineRequest('turnwise/outline', z.object({ ...pageParams }), outlined);

/** The sessions of a verdict or of a file, the riskiest first. Sessions without a verdict yet count as undecided. */
export const sessionsIn = defineRequest(
  'turnwise/sessionsOf',
  z.object({ of: z.union([z.object({ verdict: verdictSchema }), z.object({ file: fileUri })]), ...pageParams }),
  z.object({ total: count, rows: z.readonly(z.array(sessionRow)) }),
);
