import * as z from 'zod/mini';
import { LABEL_PARTS, LABELS } from '../statuses.ts';

const text = z.string().check(z.minLength(1));
const count = z.int().check(z.minimum(0));
const label = z.enum(LABELS);

/** Which judge answered, and to which question: a label and a calibration hold for both alone. */
const identity = {
  metric: text,
  /** `provider/model`. */
  judge: text,
  /** A hash of all that the metric asks. */
  question: text,
};

/** What a person says about a result of a judge, without having seen it. */
export const judgeLabelSchema = z.strictObject({
  ...identity,
  /** Relative to the project where it is inside it. */
  file: z.string(),
  /** One-based; null where the file has no lines. */
  line: z.nullable(count),
  session: z.string(),
  /** Zero-based; null for a metric of the whole session. */
  turn: z.nullable(count),
  /** A hash of the session: a session that changed has other results. */
  content: text,
  /** Thresholds are tuned on one part, and the judge is measured on the other. It never changes. */
  part: z.enum(LABEL_PARTS),
  /** What the judge gave; the score is null for a metric of labels. */
  score: z.nullable(z.number()),
  verdict: label,
  /** What the person says. */
  label,
  note: z.optional(z.string()),
  /** Given after the answer of the judge was seen: it says nothing about the judge. */
  seen: z.optional(z.literal(true)),
  /** ISO 8601. */
  at: z.string(),
});

/** How often a judge and a person gave which answer. */
const agreementSchema = z.strictObject({
  bothPass: count,
  onlyJudge: count,
  onlyPerson: count,
  bothFail: count,
});

/** What labels say about a judge: it is made of held-out labels only. */
export const judgeCalibrationSchema = z.strictObject({
  ...identity,
  /** At or above which a score passed; null for a metric of labels. */
  threshold: z.nullable(z.number()),
  agreement: agreementSchema,
  /** Null where one answer is the only one. */
  kappa: z.nullable(z.strictObject({ value: z.number(), interval: z.tuple([z.number(), z.number()]) })),
  /** The labelled results: only those of the same content are in another run. Stored before: session and turn, which do not tell that. */
  cases: z.array(
    z.union([
      z.strictObject({ content: text, turn: z.nullable(count), label }),
      z.tuple([z.string(), z.nullable(count)]),
    ]),
  ),
  /** ISO 8601. */
  at: z.string(),
});

/** `turnwise.judge.json`: written by `turnwise calibrate judge` and the editor, for people to review and commit. */
export const judgeFileSchema = z.strictObject({
  labels: z.array(judgeLabelSchema),
  /** Results whose label was taken back after the answer of the judge was seen, by their ids. */
  seen: z.optional(z.array(text)),
  calibrations: z.array(judgeCalibrationSchema),
});
