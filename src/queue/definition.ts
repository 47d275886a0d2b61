import * as z from 'zod/mini';
import type { DeepReadonly } from '../core/deep-readonly.ts';
import { runPlanSchema } from '../core/schemas/run-plan.ts';
import { gitStateSchema, runManifestSchema } from '../core/schemas/run-record.ts';

/** What a worker on another machine needs to know of a run besides its sessions. */
export const queuedRunSchema = z.object({
  plan: runPlanSchema,
  /** Null where it is more than data: then workers load it themselves. */
  configuration: z.nullable(z.unknown()),
  /** Of the configuration; a worker that computes another refuses the run. */
  configurationHash: z.string(),
  /** What the record says of where the run comes from. */
  origin: z.object({
    ...z.pick(runManifestSchema, { project: true, inputs: true, selection: true, name: true }).shape,
    /** The folder that paths of traces are relative to. */
    cwd: z.string(),
    git: z.nullable(gitStateSchema),
    /** Whether the record has the transcripts. */
    transcripts: z.optional(z.boolean()),
    /** Whether a baseline or alerts decide as well, for which only the command has the earlier runs. */
    hasOwnGates: z.optional(z.boolean()),
  }),
});

export interface QueuedRun extends DeepReadonly<z.infer<typeof queuedRunSchema>> {}
