import * as z from 'zod/mini';
import { toolOutcomeSchema } from '../core/schemas/session.ts';
import { count, list, target } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** The timeline of a report: turns and steps with times, tokens and costs. */

/** The largest page of rows. */
export const MAX_TIMELINE_ROWS = 200;

const session = z.string();
const tokens = z.nullable(z.object({ input: count, output: count }));
/** In US dollars, as the trace says; null where it does not. */
const cost = z.nullable(z.number());

const summary = z.object({
  rows: count,
  /** How many turns and steps have a duration. Without any, the trace has no times. */
  timed: z.object({ turns: count, steps: count }),
  /** The sum over turns, without the time between them. */
  durationMs: z.nullable(z.number()),
  slowest: z.nullable(z.object({ turn: count, durationMs: z.number() })),
  tokens,
  cost,
  /** The most used first. */
  models: list(z.object({ name: z.string(), calls: count, tokens, cost })),
  modelsOmitted: count,
});
export type TimelineSummaryRow = z.infer<typeof summary>;

/** Null when the file changed after the evaluation. */
export const timelineSummary = defineRequest(
  'turnwise/report/timeline',
  z.object({ session }),
  z.object({ summary: z.nullable(summary) }),
);

const row = z.object({
  type: z.enum(['turn', 'model', 'tool', 'retrieval', 'agent']),
  /** Zero-based index of the session's turn. */
  turn: count,
  /** Zero-based index of the step of that turn; null for the turn itself. */
  step: z.nullable(count),
  /** 0 for a turn, 1 for its steps, more in sub-agents. */
  depth: count,
  /** Of the tool or the sub-agent. */
  name: z.nullable(z.string()),
  /** The beginning of what it says, or of its arguments. */
  text: z.string(),
  outcome: z.nullable(toolOutcomeSchema),
  model: z.nullable(z.string()),
  /** Milliseconds since its turn began; null without a time. */
  startMs: z.nullable(z.number()),
  /** Null where the start or the end is unknown. */
  durationMs: z.nullable(z.number()),
  /** How long its turn took: the scale of the row. */
  turnMs: z.nullable(z.number()),
  tokens,
  cost,
  target,
});
export type TimelineEntry = z.infer<typeof row>;

export const timelineRows = defineRequest(
  'turnwise/report/timelineRows',
  z.object({ session, from: count, count: z.int().check(z.positive(), z.maximum(MAX_TIMELINE_ROWS)) }),
  z.object({ rows: list(row) }),
);
