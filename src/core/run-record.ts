import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type {
  gitStateSchema,
  recordedAgentSchema,
  recordedAttemptSchema,
  recordedSessionSchema,
  runManifestSchema,
  runTotalsSchema,
} from './schemas/run-record.ts';

export type GitState = DeepReadonly<z.output<typeof gitStateSchema>>;
export type RecordedAgent = DeepReadonly<z.output<typeof recordedAgentSchema>>;
export type RunTotals = DeepReadonly<z.output<typeof runTotalsSchema>>;
export type RunManifest = DeepReadonly<z.output<typeof runManifestSchema>>;
export type RecordedSession = DeepReadonly<z.output<typeof recordedSessionSchema>>;
export type RecordedAttempt = DeepReadonly<z.output<typeof recordedAttemptSchema>>;

/** What two runs are compared by. */
export interface RecordedRun {
  readonly manifest: RunManifest;
  /** In the order of the run. */
  readonly rows: readonly RecordedSession[];
}
