import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type * as schemas from './schemas/expectations.ts';
import type { unmetExpectationsSchema } from './schemas/unmet-expectation.ts';

export interface Expectations extends DeepReadonly<z.infer<typeof schemas.expectationsSchema>> {}
export interface CallExpectation extends DeepReadonly<z.infer<typeof schemas.callExpectationSchema>> {}
export interface ExpectedToolCall extends DeepReadonly<z.infer<typeof schemas.expectedToolCallSchema>> {}
export interface AnswerExpectation extends DeepReadonly<z.infer<typeof schemas.answerExpectationSchema>> {}
export type UnmetExpectation = DeepReadonly<z.infer<typeof unmetExpectationsSchema>>[number];
