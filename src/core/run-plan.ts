import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type * as schemas from './schemas/run-plan.ts';

/** Everything that decides what a run computes, as plain data. */
export interface RunPlan extends DeepReadonly<z.infer<typeof schemas.runPlanSchema>> {}
export interface GateThreshold extends DeepReadonly<z.infer<typeof schemas.gateThresholdSchema>> {}
