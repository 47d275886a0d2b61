import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type { problemSchema } from './schemas/report.ts';
import type { Pointer } from './session.ts';

/** Something about the input that the user should know: a sentence with its location and a remedy. */
export interface Problem extends DeepReadonly<z.infer<typeof problemSchema>> {}

/** The code of the warning that a run asked no more questions, because no model answered. */
export const MODEL_OUTAGE = 'model-outage';

export function createProblem(
  severity: Problem['severity'],
  code: string,
  file: string,
  message: string,
  location: { pointer?: Pointer; line?: number } = {},
): Problem {
  return { file, pointer: location.pointer ?? null, line: location.line ?? null, severity, code, message };
}
