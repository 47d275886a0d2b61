import * as z from 'zod';
import type { Result } from '../core/result.ts';
import { STATUSES } from '../core/statuses.ts';
import type { Metric } from '../metrics/metric.ts';
import type { GateThreshold } from './threshold.ts';

/** The gate preset `production`: ADK's minima for the parts of the composite score, and for the whole. */
const MINIMA = { trajectory: 0.85, accuracy: 0.9, relevance: 0.75 } as const;
const OVERALL = 0.8;

/** What composite_score says of its parts in its metadata. */
const parts = z.object({
  parts: z.record(z.string(), z.object({ status: z.enum(STATUSES), score: z.number().nullable() })),
});

/** Four thresholds on the results of composite_score, each gated with its own figure. */
export function productionThresholds(composite: Metric): GateThreshold[] {
  const ofParts = Object.entries(MINIMA).map(([part, value]) => ({
    name: `${composite.name}.${part}`,
    metric: composite,
    value,
    read: (result: Result) => partOf(result, part),
  }));
  return [...ofParts, { name: composite.name, metric: composite, value: OVERALL }];
}

function partOf(result: Result, part: string): Result | null {
  const found = parts.safeParse(result.metadata).data?.parts;
  const own = found && Object.hasOwn(found, part) ? found[part] : undefined;
  return own ? { ...result, status: own.status, score: own.score } : null;
}
