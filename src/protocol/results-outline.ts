import * as z from 'zod/mini';
import { HEADLINE_KINDS } from '../core/statuses.ts';
import { fileRow, fileUri, headlineCounts, pageParams, sessionRow } from './messages.ts';
import { defineRequest } from './rpc.ts';

const count = z.int().check(z.nonnegative());

const outlineRow = z.object({
  file: fileRow,
  /** Its session, if it has exactly one. */
  session: z.nullable(sessionRow),
});
export type OutlineRow = z.infer<typeof outlineRow>;

/** `outcome` (the default): the worst first; `name`: by file name and title; `risk`: the highest first. */
export const SORT_ORDERS = ['outcome', 'name', 'risk'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** What is listed, and how. */
const listOptions = {
  sort: z.optional(z.enum(SORT_ORDERS)),
  /** Only sessions that failed, are undecided or have problems, and files with such sessions or unreadable ones. */
  problemsOnly: z.optional(z.boolean()),
};

const outlined = z.object({
  total: count,
  rows: z.readonly(z.array(outlineRow)),
  headlines: headlineCounts,
  /** Files that are unreadable or partly unreadable. */
  unreadable: count,
  /** Files that are not listed and look like traces by their content. */
  lookalikes: count,
  /** The names of all models that judged; empty for rules only. */
  judges: z.readonly(z.array(z.string())),
  /** How many sessions have an answer of a judge. */
  judged: count,
});
export type ResultsOutline = z.infer<typeof outlined>;

/** The overview of all results. A file that only continues a session of another file has no row. */
export const resultsOutline = defineRequest('turnwise/outline', z.object({ ...pageParams, ...listOptions }), outlined);

/** The sessions with a kind of headline, or of a file. */
export const sessionsIn = defineRequest(
  'turnwise/sessionsOf',
  z.object({
    of: z.union([z.object({ headline: z.enum(HEADLINE_KINDS) }), z.object({ file: fileUri })]),
    ...pageParams,
    ...listOptions,
  }),
  z.object({ total: count, rows: z.readonly(z.array(sessionRow)) }),
);

/** Files that are not listed and look like traces by their content. */
export const lookalikes = defineRequest(
  'turnwise/lookalikes',
  z.object(pageParams),
  z.object({ total: count, rows: z.readonly(z.array(fileRow)) }),
);

/** Searches the open folders for files that look like traces by their content. @returns their number. */
export const findTraces = defineRequest('turnwise/findTraces', z.object({}), z.object({ total: count }));
