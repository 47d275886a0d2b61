import * as z from 'zod/mini';

/** What is not as expected. `order`: a call came too early or too late. `state`: what was true after the last turn. */
const UNMET_KINDS = [
  'missing-call',
  'arguments',
  'order',
  'extra-call',
  'forbidden-call',
  'answer',
  'finding',
  'state',
] as const;

/**
 * An expectation that is not met, as `unmet` in the metadata of `turn_expectations` and `session_expectations` lists them. Each
 * has its evidence at the same position in the evidence of the result.
 */
const unmetExpectationSchema = z.object({
  kind: z.enum(UNMET_KINDS),
  /** With no value of the trace but names, so that attempts of a task share it. */
  title: z.string(),
  /** Sentences, with expected and actual values. */
  reason: z.string(),
  /** Zero-based index of the turn. */
  turn: z.number(),
  /** Position of the expected call in `expected`. */
  expectedCall: z.optional(z.number()),
  /** In short, to be compared; null where there is none. */
  expected: z.nullable(z.string()),
  actual: z.nullable(z.string()),
});

export const unmetExpectationsSchema = z.array(unmetExpectationSchema);
