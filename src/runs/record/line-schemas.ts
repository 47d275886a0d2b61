import * as z from 'zod/mini';
import {
  failureGroupSchema,
  observationSchema,
  problemOccurrenceSchema,
  problemSchema,
  reportSchema,
  sessionReportSchema,
  suppressedFindingSchema,
  turnReportSchema,
} from '../../core/schemas/report.ts';
import { resultSchema, resultsByMetricSchema } from '../../core/schemas/result.ts';
import { recordedAttemptSchema, recordedSessionSchema } from '../../core/schemas/run-record.ts';
import { sessionSchema } from '../../core/schemas/session.ts';
import { agentProblemSchema, sessionOutcomeSchema } from '../../core/schemas/session-outcome.ts';

/**
 * The lines of `sessions.jsonl`. Each begins with its type, by which a reader skips what it does not need.
 *
 * What turns have in common is written once, and referred to by number: a session of three turns would take 54 kB without.
 */

const number = z.number();

/** A result: its frame, and what the frame has empty. */
export const framedResultSchema = z.tuple([
  number,
  z.extend(
    z.partial(
      z.pick(resultSchema, {
        score: true,
        label: true,
        labels: true,
        reason: true,
        evidence: true,
        metadata: true,
        failures: true,
      }),
    ),
    /** Texts of the metadata, which has null for them. */
    { texts: z.optional(z.record(z.string(), number)) },
  ),
]);

export const sharedValueSchema = z.union([
  z.object({ text: z.string() }),
  /** Metrics, in the order of a turn. */
  z.object({ names: z.array(z.string()) }),
  /** A result without what varies. */
  z.object({ frame: resultSchema }),
  /** A result that several turns may have. */
  z.object({ result: framedResultSchema }),
  /** Names, and in their order the results without a score or label; null for the others. */
  z.object({ layout: z.tuple([number, z.array(z.nullable(number))]) }),
]);

/** The results of a turn or session: a layout, and in its order those that it does not have. */
export const encodedResultsSchema = z.tuple([number], z.union([number, framedResultSchema]));

/** The sessions of all parts of a run, in input order, and what every part knows of the whole run. */
export const plannedLineSchema = z.object({
  type: z.literal('planned'),
  ids: z.array(z.string()),
  /** Of each session, the part that evaluates it, from 1. */
  shards: z.array(number),
  /** A hash of the content of all sessions, and of where they stand. */
  content: z.string(),
  /** Problems that are found before anything is evaluated: of inputs and settings, and of reading. */
  problems: z.object({ inputs: z.array(problemSchema), reading: z.array(problemSchema) }),
});

/** Values to refer to. `from`: the number of the first; 0 begins a new list. */
export const sharedLineSchema = z.object({
  type: z.literal('shared'),
  from: number,
  values: z.array(sharedValueSchema),
});

/** A finished session. `index`: its place in the input. */
export const sessionLineSchema = z.object({
  type: z.literal('session'),
  index: number,
  outcome: z.extend(sessionOutcomeSchema, {
    turns: z.array(z.extend(turnReportSchema, { metrics: encodedResultsSchema })),
    metrics: encodedResultsSchema,
    problems: z.array(z.extend(agentProblemSchema, { title: number, explanation: number })),
  }),
});

/** A session as it was read, without secrets. */
export const transcriptLineSchema = z.object({ type: z.literal('transcript'), id: z.string(), session: sessionSchema });

/** What the reduce step adds to a session, in input order. */
export const reportedLineSchema = z.object({
  type: z.literal('reported'),
  ...z.pick(sessionReportSchema, { id: true, verdict: true, outcome: true, headline: true, undecided: true }).shape,
  /** Results that depend on the other attempts of its task; absent where none does. */
  metrics: z.optional(resultsByMetricSchema),
});

/** The report without its sessions, of which it has the number. A finding that a session has is its number among those of all. */
export const reportLineSchema = z.object({
  type: z.literal('report'),
  report: z.extend(reportSchema, {
    sessions: number,
    failures: z.array(
      z.extend(failureGroupSchema, { occurrences: z.array(z.union([number, problemOccurrenceSchema])) }),
    ),
    observations: z.array(z.union([number, observationSchema])),
    suppressed: z.array(z.union([number, suppressedFindingSchema])),
  }),
});

/** The part of a row that later attempts are compared with. */
export const attemptLineSchema = z.object({
  type: z.literal('row'),
  row: z.object({
    ...z.pick(recordedSessionSchema, { content: true, task: true }).shape,
    attempt: recordedAttemptSchema,
  }),
});

export const rowLineSchema = z.object({ type: z.literal('row'), row: recordedSessionSchema });

/** The end of the reduce step: how many rows there are, the hash of their lines, and where the first one begins. */
export const reducedLineSchema = z.object({
  type: z.literal('reduced'),
  rows: number,
  sha256: z.string(),
  rowsAt: number,
});
