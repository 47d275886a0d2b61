import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type { compactSessionSchema } from './schemas/compact-report.ts';
import type * as schemas from './schemas/report.ts';
import type { resultsByMetricSchema } from './schemas/result.ts';

/** The JSON report. Scripts rely on it: keys may be added, none renamed. */
export interface Report extends DeepReadonly<z.infer<typeof schemas.reportSchema>> {}
/** Results by the names of their metrics. */
export type ResultsByMetric = DeepReadonly<z.infer<typeof resultsByMetricSchema>>;
export interface RunInfo extends DeepReadonly<z.infer<typeof schemas.runInfoSchema>> {}
export interface RunUsage extends DeepReadonly<z.infer<typeof schemas.usageSchema>> {}
export interface Undecided extends DeepReadonly<z.infer<typeof schemas.undecidedSchema>> {}
export interface AgentOutcome extends DeepReadonly<z.infer<typeof schemas.agentOutcomeSchema>> {}
export type OutcomeStatus = AgentOutcome['status'];
export type OutcomeSource = NonNullable<AgentOutcome['source']>;
export interface Headline extends DeepReadonly<z.infer<typeof schemas.headlineSchema>> {}
export interface RunAlert extends DeepReadonly<z.infer<typeof schemas.alertSchema>> {}
export interface Gate extends DeepReadonly<z.infer<typeof schemas.gateSchema>> {}
export interface SessionReport extends DeepReadonly<z.infer<typeof schemas.sessionReportSchema>> {}
/** A session of a compact report, as JSON has it. */
export interface CompactSession extends DeepReadonly<z.input<typeof compactSessionSchema>> {}
export interface TurnReport extends DeepReadonly<z.infer<typeof schemas.turnReportSchema>> {}
export interface TaskSummary extends DeepReadonly<z.infer<typeof schemas.taskSummarySchema>> {}
export interface AttemptStatistics extends DeepReadonly<z.infer<typeof schemas.attemptStatisticsSchema>> {}
export interface AttemptsSummary extends DeepReadonly<z.infer<typeof schemas.attemptsSummarySchema>> {}
export interface FailureGroup extends DeepReadonly<z.infer<typeof schemas.failureGroupSchema>> {}
export interface TraceLocation extends DeepReadonly<z.infer<typeof schemas.traceLocationSchema>> {}
export interface LocatedEvidence extends DeepReadonly<z.infer<typeof schemas.locatedEvidenceSchema>> {}
export interface ProblemOccurrence extends DeepReadonly<z.infer<typeof schemas.problemOccurrenceSchema>> {}
export interface Observation extends DeepReadonly<z.infer<typeof schemas.observationSchema>> {}
export interface SuppressedFinding extends DeepReadonly<z.infer<typeof schemas.suppressedFindingSchema>> {}
