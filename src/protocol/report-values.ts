import * as z from 'zod/mini';
import { SEVERITIES } from '../core/severity.ts';

/** What headers and rows of a report are made of. Texts come cut to what a person reads at once. */

export const count = z.int().check(z.nonnegative());
export const severity = z.enum(SEVERITIES);
export const list = <T extends z.ZodMiniType>(of: T) => z.readonly(z.array(of));

export const target = z.object({ uri: z.string(), pointer: z.string() });
/** A value in a file, which can be shown there. */
export type JsonTarget = z.infer<typeof target>;

export const excerpt = z.object({
  text: z.string(),
  /** How many characters (UTF-16 code units) follow in the file. */
  omitted: count,
});
/** The beginning of a text, or all of it. */
export type TextExcerpt = z.infer<typeof excerpt>;

export const quote = z.object({ ...excerpt.shape, target });
export type TextQuote = z.infer<typeof quote>;

/**
 * A sub-agent, by the steps that lead to it: the turn of the session and the step in it, then the turn of that sub-agent and
 * the step in that. Empty: the session itself.
 */
export const agentPath = list(z.object({ turn: count, step: count }));
export type AgentPath = z.infer<typeof agentPath>;

/**
 * The texts of a turn. `input` and `output` are the turn's own; the others belong to a step: `text`, `reasoning` to a model's,
 * `arguments`, `result` to a tool's, `error` to either, `query` and `document` to a retrieval. `whole`: the step, or the turn, as
 * such.
 */
const FIELDS = [
  'input',
  'output',
  'text',
  'reasoning',
  'arguments',
  'result',
  'error',
  'query',
  'document',
  'whole',
] as const;
const field = z.enum(FIELDS);
export type TextField = z.infer<typeof field>;

/** Which text of a turn of the session. Texts of a sub-agent's turns are those of the step that called it, as a whole. */
export const textLocation = z.object({
  /** Zero-based index of the turn of the session. */
  turn: count,
  /** Zero-based index among all steps of the turn; null for its input and output. */
  step: z.nullable(count),
  field,
  /** Which document, zero-based; 0 otherwise. */
  item: count,
});
export type TextLocation = z.infer<typeof textLocation>;

/** A passage of a text, in UTF-16 code units. Of `whole` both are 0. */
export const citation = z.object({ ...textLocation.shape, start: count, end: count });
export type Citation = z.infer<typeof citation>;

export const evidence = z.object({
  note: z.string(),
  target,
  /** What of the transcript it cites; null when that is not known: the file has changed, or it is no part of a turn. */
  passage: z.nullable(citation),
});
export type ReportEvidence = z.infer<typeof evidence>;

/** What a person thinks of a turn, or of something that is said of it. */
export const reportFeedback = z.object({
  value: z.enum(['up', 'down']),
  note: z.nullable(z.string()),
  /** ISO 8601. */
  at: z.nullable(z.string()),
});
export type ReportFeedback = z.infer<typeof reportFeedback>;

export const reportProblem = z.object({
  /** Zero-based index of the turn. */
  turn: count,
  label: z.string(),
  severity,
  reason: z.string(),
  /** The rule that proved it, or null: a model found it. */
  rule: z.nullable(z.string()),
  /** The metric by which a model found it. */
  metric: z.nullable(z.string()),
  /** `prompt` can show what a model is asked where it finds such failures. */
  isAsked: z.optional(z.literal(true)),
  /** Where to look first. */
  target,
  evidence: list(evidence),
  evidenceOmitted: count,
  opinion: z.nullable(reportFeedback),
});
export type ReportProblem = z.infer<typeof reportProblem>;

export const reportObservation = z.object({
  rule: z.string(),
  title: z.string(),
  reason: z.string(),
  target,
  evidence: list(evidence),
  evidenceOmitted: count,
  opinion: z.nullable(reportFeedback),
});
/** Something that is worth knowing and no failure. */
export type ReportObservation = z.infer<typeof reportObservation>;

export const reportSuppression = z.object({
  rule: z.string(),
  /** What the rule found. */
  finding: z.string(),
  /** Why a person accepted it. */
  reason: z.string(),
  target,
  evidence: list(evidence),
  evidenceOmitted: count,
});
/** A finding that a person accepted. */
export type ReportSuppression = z.infer<typeof reportSuppression>;

export const score = z.object({
  metric: z.string(),
  /** `vacuous`: the metric's convention gives a score though there was nothing to judge. */
  status: z.enum(['scored', 'vacuous']),
  value: z.union([z.number(), z.string()]),
  /** All labels, where it has some. */
  labels: list(z.string()),
  /** Null for words, and for numbers that nobody gave a scale. */
  scale: z.nullable(z.readonly(z.tuple([z.number(), z.nullable(z.number())]))),
  threshold: z.nullable(z.number()),
  passed: z.nullable(z.boolean()),
  /** A risk: it meets its threshold when it is not above it. */
  lowerIsBetter: z.boolean(),
  band: z.nullable(z.object({ name: z.string(), meaning: z.string() })),
  reason: z.nullable(z.string()),
  source: z.nullable(z.enum(['rules', 'judge', 'embedding', 'reference', 'aggregate', 'imported'])),
  /** `provider/model` that gave it. */
  judge: z.nullable(z.string()),
  /** What is proven left no more of it; `judged` is what the judge gave. */
  cap: z.nullable(z.object({ most: z.number(), judged: z.number() })),
  /** What each of several answers said, in a sentence, where the score is put together from them. */
  samples: z.optional(z.string()),
  /** Of a metric that the user's configuration has of its own. */
  own: z.optional(z.literal(true)),
  evidence: list(evidence),
  evidenceOmitted: count,
  /** Whether `prompt` can show what a model is asked for it. */
  isAsked: z.boolean(),
  opinion: z.nullable(reportFeedback),
});
export type ReportScore = z.infer<typeof score>;

export const UNSCORED_STATUSES = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'not_applicable',
] as const;

export const unscoredGroup = z.object({
  status: z.enum(UNSCORED_STATUSES),
  /** How many metrics there are; the reasons name those that share one. */
  metrics: count,
  reasons: list(z.object({ reason: z.string(), metrics: list(z.string()) })),
});
/** Metrics that gave no score, by the way in which they gave none. */
export type UnscoredGroup = z.infer<typeof unscoredGroup>;
