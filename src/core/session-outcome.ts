import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type * as schemas from './schemas/session-outcome.ts';

/** All that an evaluated session adds to the report, as plain data. */
export interface SessionOutcome extends DeepReadonly<z.infer<typeof schemas.sessionOutcomeSchema>> {}
export interface AgentProblem extends DeepReadonly<z.infer<typeof schemas.agentProblemSchema>> {}
export interface MissingResult extends DeepReadonly<z.infer<typeof schemas.missingResultSchema>> {}
export interface JudgeUsage extends DeepReadonly<z.infer<typeof schemas.judgeUsageSchema>> {}
export interface SessionFacts extends DeepReadonly<z.infer<typeof schemas.sessionFactsSchema>> {}
export interface StateChange extends DeepReadonly<z.infer<typeof schemas.stateChangeSchema>> {}
export interface TracePlace extends DeepReadonly<z.infer<typeof schemas.tracePlaceSchema>> {}
