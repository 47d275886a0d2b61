import * as z from 'zod/mini';
import { sessionReportSchema, turnReportSchema } from './report.ts';
import { resultSchema } from './result.ts';

const { score, label, labels, scale, threshold, passed, band, reason, source, evidence, metadata } = resultSchema.shape;

/** A result of a compact report, which leaves out keys that are null or empty. Reading it adds them again. */
const compactResultSchema = z.extend(resultSchema, {
  score: z._default(score, null),
  label: z._default(label, null),
  labels: z._default(labels, []),
  scale: z._default(scale, null),
  threshold: z._default(threshold, null),
  passed: z._default(passed, null),
  band: z._default(band, null),
  reason: z._default(reason, null),
  source: z._default(source, null),
  evidence: z._default(evidence, []),
  metadata: z._default(metadata, {}),
});

const metrics = z.record(z.string(), compactResultSchema);

/** A session of any JSON report: of a compact one, with the keys of its results that were left out. */
export const compactSessionSchema = z.extend(sessionReportSchema, {
  metrics,
  turns: z.array(z.extend(turnReportSchema, { metrics })),
});
