import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type { baselineResultSchema, baselineSchema } from './schemas/baseline.ts';

export type Baseline = DeepReadonly<z.output<typeof baselineSchema>>;
export type BaselineTask = Baseline['tasks'][string];
export type BaselineResult = DeepReadonly<z.output<typeof baselineResultSchema>>;
export type BaselineGate = BaselineResult['gates'][number];
