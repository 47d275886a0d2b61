import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type { problemSchema } from './schemas/report.ts';
import type { Pointer } from './session.ts';

/** Something about the input that the user should know: a sentence with its location and a remedy. */
export interface Problem extends DeepReadonly<z.infer<typeof problemSchema>> {}

/** The code of the warning that a run asked no more questions, because no model answered. */
export const MODEL_OUTAGE = 'model-outage';

/** The code of the error that a file that the user named is no trace. */
export const NO_TRACE = 'no-trace';

/** The code of the warning that nothing was found to evaluate. */
export const NO_SESSIONS = 'no-sessions';

/** The code of the error that a configuration names a metric that does not exist. */
export const UNKNOWN_METRIC = 'unknown-metric';

/** The code of the error that the metric `agentic` has no k. */
export const MISSING_K = 'missing-k';

/** The code of the warning that a judge named by a file beside a trace is not used. */
export const FOREIGN_JUDGE = 'foreign-judge';

/** The code of the warning that a configuration is code and was not run. */
export const CODE_SKIPPED = 'configuration-not-run';

export function createProblem(
  severity: Problem['severity'],
  code: string,
  file: string,
  message: string,
  location: { pointer?: Pointer; line?: number } = {},
): Problem {
  return { file, pointer: location.pointer ?? null, line: location.line ?? null, severity, code, message };
}
