import * as z from 'zod/mini';
import { CONCLUSIONS } from '../statuses.ts';

const intervalSchema = z.tuple([z.number(), z.number()]);

const sideMeanSchema = z.object({
  mean: z.number(),
  /** Sessions with a value. */
  n: z.number(),
});

/** One metric, of the second run, or agent, against the first. */
export const comparedMetricSchema = z.object({
  conclusion: z.enum(CONCLUSIONS),
  /** Pairs of sessions that both have a value. */
  pairs: z.number(),
  /** Tasks that have a value in both runs: what intervals and tests count. */
  tasks: z.number(),
  /** Means over those tasks, of the means of their sessions; null where there are none. */
  before: z.nullable(sideMeanSchema),
  after: z.nullable(sideMeanSchema),
  /** After minus before, over the tasks; null where it is withheld. */
  difference: z.nullable(z.number()),
  ci95: z.nullable(intervalSchema),
  /** Of the test alone. */
  p: z.nullable(z.number()),
  /** Adjusted to all metrics of the comparison, by Benjamini and Hochberg: below 0.05 it counts. */
  pAdjusted: z.nullable(z.number()),
  /** What p comes from; null without one. */
  test: z.nullable(z.enum(['mcnemar', 'sign-flip'])),
  /** The smallest difference that so many tasks show in 4 of 5 comparisons; null where it cannot be estimated. */
  detectable: z.nullable(z.number()),
  lowerIsBetter: z.boolean(),
  /** `share`: of sessions, from 0 to 1. */
  unit: z.enum(['score', 'share', 'usd', 'tokens', 'ms', 'count']),
  /** Lowest and highest score; the highest is null where there is none. Null without a scale. */
  scale: z.nullable(z.tuple([z.number(), z.nullable(z.number())])),
  /** A sentence: what the conclusion rests on, or why there is none. */
  reason: z.string(),
});
