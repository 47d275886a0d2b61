import * as z from 'zod/mini';
import { headlineSchema } from '../core/schemas/report.ts';
import { toolOutcomeSchema } from '../core/schemas/session.ts';
import { argumentComparison, count, excerpt, list, target } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** Two transcripts side by side, aligned by what they have in common. */

/** A session: one of a recorded run, or one with results in the editor by its key. */
export const pairedSession = z.union([
  z.object({
    /** The id of the run. */
    run: z.string(),
    /** The id of the session, and where it is, as in the rows of the run. */
    id: z.string(),
    file: z.string(),
    line: z.nullable(z.number()),
  }),
  z.object({ session: z.string() }),
]);
export type PairedSession = z.infer<typeof pairedSession>;

const part = z.object({
  /** Zero-based. */
  turn: count,
  target,
  /** The message, the arguments of a call, or the query. */
  text: excerpt,
  /** What a call or a retrieval returned, or its error. */
  result: z.nullable(excerpt),
  /** Null for anything but calls. */
  outcome: z.nullable(toolOutcomeSchema),
});
export type TranscriptPartRow = z.infer<typeof part>;

export const PART_CHANGES = ['same', 'reworded', 'arguments', 'result', 'left', 'right'] as const;

const row = z.object({
  change: z.enum(PART_CHANGES),
  type: z.enum(['user', 'model', 'tool', 'retrieval', 'agent', 'answer']),
  /** Of the tool or the sub-agent; null for others. */
  name: z.nullable(z.string()),
  left: z.nullable(part),
  right: z.nullable(part),
  /** How the arguments differ; null unless they do. */
  arguments: z.nullable(argumentComparison),
});
export type AlignedRow = z.infer<typeof row>;

const side = z.object({
  /** The task or the id of the session, and its file. */
  name: z.string(),
  /** What sets it apart from the other one: the name or date of its run, its attempt, its agent. */
  from: z.string(),
  headline: headlineSchema,
  /** The key by which its report opens; null where it has none. */
  session: z.nullable(z.string()),
});
export type PairSide = z.infer<typeof side>;

export const MAX_PAIR_ROWS = 200;

/** A page of the rows of two sessions. */
export const transcriptPair = defineRequest(
  'turnwise/transcripts',
  z.object({
    left: pairedSession,
    right: pairedSession,
    from: count,
    count: z.int().check(z.positive(), z.maximum(MAX_PAIR_ROWS)),
  }),
  z.union([
    z.object({
      left: side,
      right: side,
      total: count,
      /** The first row that differs in what was done, else in words; null where nothing differs. */
      divergence: z.nullable(count),
      /** The rows that differ in what was done, and those that differ in words alone. */
      actions: count,
      wordings: count,
      /** The indexes of all rows that differ, the first 10,000. */
      changed: list(count),
      rows: list(row),
    }),
    /** Why a transcript cannot be shown, as a sentence with the remedy. */
    z.object({ unavailable: z.string() }),
  ]),
);
export type TranscriptPair = Exclude<z.infer<typeof transcriptPair.result>, { readonly unavailable: string }>;
