import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type { runComparisonSchema } from './schemas/run-comparison.ts';

/** Runs against each other: what the command line prints, and the panel shows. */
export type RunComparison = DeepReadonly<z.output<typeof runComparisonSchema>>;
export type ComparedMetric = RunComparison['metrics'][string];
export type ComparabilityNote = RunComparison['comparability'][number];
export type Flip = RunComparison['flips'][number];
export type SessionOfRuns = RunComparison['changedSessions'][number];
export type PairedSession = Flip['before'];
export type JudgeNoise = NonNullable<RunComparison['noise']>;
export type RankedMetric = NonNullable<RunComparison['leaderboard']>[string];
