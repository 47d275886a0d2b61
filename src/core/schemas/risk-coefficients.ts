import * as z from 'zod/mini';

/** A log-odds of 20 is a probability of all but 1 in 500 million. */
const logOdds = z.number().check(z.minimum(-20), z.maximum(20));
const weight = z.number().check(z.minimum(0), z.maximum(20));

/** Adds weight x (value - centre). */
const centredWeight = z.strictObject({ weight, centre: logOdds });

const share = z.number().check(z.minimum(0), z.maximum(1));

/** The coefficients of `session_risk`, in natural logarithms of odds. */
export const riskCoefficientsSchema = z.strictObject({
  /** What they were fitted on, without a full stop. */
  fittedOn: z.string().check(z.minLength(1), z.maxLength(500)),
  /** Whether the risk is how many of such sessions fail; otherwise it only ranks sessions. */
  isProbability: z.boolean(),
  /** The log-odds of failure of a session of average length without findings. */
  intercept: logOdds,
  /** What the length of the conversation adds or, below the average, takes away. */
  length: centredWeight,
  /** What other attempts of the task add that made other changes, or take away that made the same. */
  agreement: centredWeight,
  /** What one finding of a rule adds, by the rule's id. */
  weights: z.record(z.string(), weight),
  /** The lowest risks that are elevated and high. */
  levels: z.strictObject({ elevated: share, high: share }),
});
