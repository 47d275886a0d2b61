import * as z from 'zod/mini';
import type { Status } from '../core/result.ts';
import { observationSchema, problemOccurrenceSchema, suppressedFindingSchema } from '../core/schemas/report.ts';
import { evidenceSchema, resultSchema, resultTemplateSchema, scoreRangeSchema } from '../core/schemas/result.ts';
import { feedbackSchema } from '../core/schemas/session.ts';
import { TEXT_FIELDS } from '../core/text-field.ts';

/** Parts of report headers and rows. Long texts are cut. */

export const count = z.int().check(z.nonnegative());
export const list = <T extends z.ZodMiniType>(of: T) => z.readonly(z.array(of));

export const target = z.object({ uri: z.string(), pointer: z.string() });
/** A JSON value in a file. */
export type JsonTarget = z.infer<typeof target>;

export const excerpt = z.object({
  text: z.string(),
  /** The number of further characters (UTF-16 code units) in the file. */
  omitted: count,
});
/** A text or its beginning. */
export type TextExcerpt = z.infer<typeof excerpt>;

export const quote = z.object({ ...excerpt.shape, target });
export type TextQuote = z.infer<typeof quote>;

/** The path to a sub-agent: pairs of a turn and the step in it that calls the next agent. Empty: the session itself. */
export const agentPath = list(z.object({ turn: count, step: count }));
export type AgentPath = z.infer<typeof agentPath>;

const field = z.enum(TEXT_FIELDS);

/** A text of a turn. Texts of a sub-agent's turns belong to the step that called it. */
export const textLocation = z.object({
  /** Zero-based index of the turn of the session. */
  turn: count,
  /** Zero-based index among all steps of the turn; null for its input and output. */
  step: z.nullable(count),
  field,
  /** The zero-based index of the document; 0 otherwise. */
  item: count,
});
export type TextLocation = z.infer<typeof textLocation>;

/** A range of a text, in UTF-16 code units; 0 and 0 for `whole`. */
export const citation = z.object({ ...textLocation.shape, start: count, end: count });
export type Citation = z.infer<typeof citation>;

export const evidence = z.object({
  ...z.pick(evidenceSchema, { note: true }).shape,
  target,
  /** The cited range of the transcript; null when the file changed or the value is outside of a turn. */
  citation: z.nullable(citation),
});
export type ReportEvidence = z.infer<typeof evidence>;

/** The user's feedback on a turn, or on a result of it. */
export const reportFeedback = z.object({
  ...z.pick(feedbackSchema, { value: true }).shape,
  note: z.nullable(z.string()),
  /** ISO 8601. */
  at: z.nullable(z.string()),
});
export type ReportFeedback = z.infer<typeof reportFeedback>;

export const reportProblem = z.object({
  /** Of its kind. */
  title: z.string(),
  ...z.pick(problemOccurrenceSchema, {
    turn: true,
    label: true,
    severity: true,
    reason: true,
    rule: true,
    metric: true,
  }).shape,
  /** `prompt` can show the question by which a model found it. */
  hasPrompt: z.optional(z.literal(true)),
  /** The first evidence. */
  target,
  evidence: list(evidence),
  evidenceOmitted: count,
  feedback: z.nullable(reportFeedback),
});
export type ReportProblem = z.infer<typeof reportProblem>;

export const reportObservation = z.object({
  ...z.pick(observationSchema, { rule: true, title: true, reason: true }).shape,
  target,
  evidence: list(evidence),
  evidenceOmitted: count,
  feedback: z.nullable(reportFeedback),
});
/** A finding that does not count against the agent. */
export type ReportObservation = z.infer<typeof reportObservation>;

export const reportSuppression = z.object({
  ...z.pick(suppressedFindingSchema, { rule: true, finding: true, reason: true }).shape,
  target,
  evidence: list(evidence),
  evidenceOmitted: count,
});
/** A suppressed finding. */
export type ReportSuppression = z.infer<typeof reportSuppression>;

export const score = z.object({
  ...z.pick(resultSchema, { threshold: true, passed: true, band: true, reason: true, source: true }).shape,
  ...z.pick(resultTemplateSchema, { lowerIsBetter: true }).shape,
  metric: z.string(),
  /** `vacuous`: the metric's convention gives a score though there was nothing to judge. */
  status: z.enum(['scored', 'vacuous']),
  value: z.union([z.number(), z.string()]),
  /** All labels, where it has some. */
  labels: z.readonly(resultSchema.shape.labels),
  /** Null for labels, and for numbers without a scale. */
  scale: z.nullable(z.readonly(scoreRangeSchema)),
  /** `provider/model` that gave it. */
  judge: z.nullable(z.string()),
  /** The score was limited to `most` by proven findings; `judged` is the judge's own score. */
  cap: z.nullable(z.object({ most: z.number(), judged: z.number() })),
  /** How the sampled answers compare, as a sentence. */
  samples: z.optional(z.string()),
  /** A custom metric of the configuration. */
  own: z.optional(z.literal(true)),
  evidence: list(evidence),
  evidenceOmitted: count,
  /** `prompt` can show the model's question. */
  hasPrompt: z.boolean(),
  feedback: z.nullable(reportFeedback),
});
export type ReportScore = z.infer<typeof score>;

const argumentChange = z.object({
  /** Null for arguments that are no object. */
  name: z.nullable(z.string()),
  /** As JSON, cut near the first difference; null where a call does not have it. */
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
});
export type ArgumentChangeRow = z.infer<typeof argumentChange>;

const comparison = { changes: list(argumentChange), changesOmitted: count, equal: count };
export const argumentComparison = z.object(comparison);
export type ArgumentComparisonRow = z.infer<typeof argumentComparison>;

/** An earlier call of the same tool. Without changes, its arguments are the same. */
export const earlierCall = z.object({ turn: count, step: count, ...comparison });
export type EarlierCallRow = z.infer<typeof earlierCall>;

const comparedCall = z.object({
  match: z.enum(['same', 'moved', 'arguments', 'missing', 'unexpected']),
  name: z.string(),
  /** Of the expected call; of the call that was made if none was expected. */
  arguments: z.string(),
  /** Zero-based turn of the call that was made; null if it was not made. */
  turn: z.nullable(count),
  ...comparison,
});
export type ComparedCallRow = z.infer<typeof comparedCall>;

/** Expected calls beside those that were made. */
export const expectedCalls = z.object({ calls: list(comparedCall), omitted: count });

export const UNSCORED_STATUSES = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'needs_attempts',
  'not_applicable',
] as const satisfies readonly Status[];

export const unscoredGroup = z.object({
  status: z.enum(UNSCORED_STATUSES),
  /** The number of metrics; the reasons name those that share one. */
  metrics: count,
  reasons: list(z.object({ reason: z.string(), metrics: list(z.string()) })),
});
/** Metrics without a score, by status. */
export type UnscoredGroup = z.infer<typeof unscoredGroup>;
