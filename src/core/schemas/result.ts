import * as z from 'zod/mini';
import { SEVERITIES } from '../severity.ts';
import { STATUSES } from '../statuses.ts';
import { pointerSchema } from './session.ts';

export const statusSchema = z.enum(STATUSES);

/** Where a score comes from. */
export const scoreSourceSchema = z.enum(['rules', 'judge', 'embedding', 'reference', 'aggregate', 'imported']);

export const severitySchema = z.enum(SEVERITIES);

export const evidenceSchema = z.object({
  pointer: pointerSchema,
  note: z.string(),
  /** Only where it is another file than the session's. */
  file: z.optional(z.string()),
});

/** A problem that a judge names in a turn. */
export const judgeProblemSchema = z.object({
  label: z.string(),
  /** Where the judge finds it worse than problems of its label usually are. */
  severity: z.optional(severitySchema),
  reason: z.string(),
  evidence: z.array(evidenceSchema),
});

export const scoreRangeSchema = z.tuple([z.number(), z.nullable(z.number())]);

/** One entry of `metrics` in the report; the shape is a contract. */
export const resultSchema = z.object({
  status: statusSchema,
  score: z.nullable(z.number()),
  label: z.nullable(z.string()),
  labels: z.array(z.string()),
  scale: z.nullable(scoreRangeSchema),
  threshold: z.nullable(z.number()),
  passed: z.nullable(z.boolean()),
  band: z.nullable(z.object({ name: z.string(), meaning: z.string() })),
  implied: z.optional(z.literal(true)),
  judge: z.optional(z.string()),
  reason: z.nullable(z.string()),
  source: z.nullable(scoreSourceSchema),
  /** Of the labels, those that a judge gave, each with its evidence. */
  failures: z.optional(z.array(judgeProblemSchema)),
  evidence: z.array(evidenceSchema),
  metadata: z.record(z.string(), z.unknown()),
});

/** Results by the names of their metrics. */
export const resultsByMetricSchema = z.record(z.string(), resultSchema);

/** What turns a metric's outcome into a result. */
export const resultTemplateSchema = z.object({
  range: z.nullable(scoreRangeSchema),
  threshold: z.nullable(z.number()),
  bands: z.array(z.object({ from: z.number(), name: z.string(), meaning: z.string() })),
  /** Risks: lower is better. */
  lowerIsBetter: z.boolean(),
  implied: z.boolean(),
});
