import * as z from 'zod/mini';
import { LABELS } from '../core/statuses.ts';
import { count, list, target } from './report-values.ts';
import { defineRequest } from './rpc.ts';
import { metricName, partType, runId, transcriptPart } from './runs.ts';

/**
 * Labels of judged results: what a person says of them without having seen what the judge said. So a result to label has no verdict,
 * no score and no reason: the answer to its label is the first message with them.
 */

const label = z.enum(LABELS);
const share = z.number();
/** From and to. */
const interval = z.readonly(z.tuple([z.number(), z.number()]));
const judgedMetric = { run: runId, metric: metricName };
const resultId = z.string().check(z.minLength(1), z.maxLength(100));

const metricToLabel = z.object({
  metric: z.string(),
  /** `provider/model`. */
  judge: z.string(),
  /** Results of the run, and how many of them have a label. */
  results: count,
  labelled: count,
  /** Held-out labels of this judge and this question, and how many more it needs. */
  heldOut: count,
  missing: count,
});
export type MetricToLabel = z.infer<typeof metricToLabel>;

/** The judged metrics of a run; without a run, of the newest one that has some. Null where there is none. */
export const metricsToLabel = defineRequest(
  'turnwise/labels/metrics',
  z.object({ run: z.nullable(runId) }),
  z.object({ run: z.nullable(runId), metrics: list(metricToLabel) }),
);

const measuredShare = z.object({
  /** Null of nothing. */
  share: z.nullable(share),
  of: count,
  interval,
});
export type MeasuredShareRow = z.infer<typeof measuredShare>;

const disagreement = z.object({
  id: resultId,
  file: z.string(),
  /** One-based. */
  line: z.nullable(count),
  session: z.string(),
  /** Zero-based; null for the whole session. */
  turn: z.nullable(count),
  /** What the person says; the judge says the other. */
  label,
  /** Of the judge; null for a metric of labels. */
  score: z.nullable(z.number()),
  note: z.nullable(z.string()),
});
export type DisagreementRow = z.infer<typeof disagreement>;

const judgeAgreement = z.object({
  /** Held-out labels by what judge and person say. */
  counts: z.object({ bothPass: count, onlyJudge: count, onlyPerson: count, bothFail: count }),
  /** Null where one answer is the only one. */
  kappa: z.nullable(z.object({ value: z.number(), interval })),
  /** Of what people pass, what the judge passes; of what they fail, what it fails. */
  truePositiveRate: measuredShare,
  trueNegativeRate: measuredShare,
  /** Of the results of the run: what the judge passes, and what people would. */
  passing: z.object({
    judged: share,
    /** Null with too few labels of this run. */
    corrected: z.nullable(z.object({ share, interval })),
    /** Those that are a random choice of the results of this run. */
    labels: count,
  }),
  /** Whether the judge agrees with people more than chance does. */
  isBeyondChance: z.boolean(),
  /** Whether the file has these figures: `outdated`, those of fewer or other labels. */
  stored: z.enum(['no', 'outdated', 'yes']),
  /** Held-out results where the person says otherwise, the first 500. */
  disagreements: list(disagreement),
  disagreementCount: count,
});
export type JudgeAgreementRow = z.infer<typeof judgeAgreement>;

const labelState = z.object({
  judge: z.string(),
  /** What the metric asks, as a sentence; null where its configuration cannot be read. */
  asks: z.nullable(z.string()),
  /** The name of the run, null where it has none, and when it began, ISO 8601. */
  runName: z.nullable(z.string()),
  startedAt: z.string(),
  /** Results of the run, and how many of them have a label. */
  results: count,
  labelled: count,
  /** Labels of this judge and this question, in any run: those that measure the judge, and those for tuning thresholds. */
  heldOut: count,
  tuning: count,
  /** Held-out labels without which there are no figures, and how many of them are missing. */
  needed: count,
  missing: count,
  /** Labels to give until then, with those for tuning between. */
  more: count,
  /** Labels of other judges or questions, a sentence each. */
  notCounted: list(z.string()),
  /** The file of labels, relative to the project. */
  file: z.string(),
  /** Why no label can be stored, as a sentence with a remedy; null where one can. */
  refusal: z.nullable(z.string()),
  /** Null with too few labels. */
  agreement: z.nullable(judgeAgreement),
});
export type LabelState = z.infer<typeof labelState>;

/** How far the labels of a metric are. The file is read again each time. */
export const labelsOf = defineRequest('turnwise/labels', z.object(judgedMetric), labelState);

const labelPart = z.object({
  ...transcriptPart.shape,
  type: partType,
  /** Of the tool or the sub-agent; null for others. */
  name: z.nullable(z.string()),
});
export type LabelPartRow = z.infer<typeof labelPart>;

/** A result to label: what it is about, never what the judge said of it. */
const resultToLabel = z.strictObject({
  id: resultId,
  file: z.string(),
  /** One-based. */
  line: z.nullable(count),
  session: z.string(),
  /** Zero-based; null for the whole session. */
  turn: z.nullable(count),
  target,
  /** Messages and steps: those of earlier turns, then what is labelled. */
  earlier: list(labelPart),
  parts: list(labelPart),
  /** Further messages and steps in the file. */
  omitted: count,
});
export type ResultToLabel = z.infer<typeof resultToLabel>;

/** What to label next, in the order of `turnwise calibrate judge --export`. */
export const nextResult = defineRequest(
  'turnwise/labels/next',
  z.object({
    ...judgedMetric,
    /** Results that the user leaves open. */
    skipped: list(resultId),
  }),
  z.object({
    /** Null where none is left. */
    result: z.nullable(resultToLabel),
    /** How many of the skipped ones have no label. */
    skipped: count,
    /** Results that were passed over, since their files changed or are gone. */
    unreadable: count,
  }),
);
export type NextResult = z.infer<typeof nextResult.result>;

const judgedAnswer = z.object({
  verdict: label,
  score: z.nullable(z.number()),
  threshold: z.nullable(z.number()),
  reason: z.nullable(z.string()),
});
export type JudgedAnswer = z.infer<typeof judgedAnswer>;

/** Stores a label, or removes it. Answers what the judge said, once the label is in the file. */
export const setLabel = defineRequest(
  'turnwise/labels/set',
  z.object({
    ...judgedMetric,
    id: resultId,
    /** Null removes it. */
    label: z.nullable(label),
    note: z.string().check(z.maxLength(2000)),
  }),
  z.object({
    /** Null for a label that was removed. */
    judged: z.nullable(judgedAnswer),
    state: labelState,
  }),
);

/** Stores what the labels say about the judge, for reports and gates. */
export const storeCalibration = defineRequest('turnwise/labels/calibrate', z.object(judgedMetric), labelState);

/** Where a result stands; null where its file changed or is gone. */
export const locateResult = defineRequest(
  'turnwise/labels/locate',
  z.object({ ...judgedMetric, id: resultId }),
  z.object({ target: z.nullable(target) }),
);
