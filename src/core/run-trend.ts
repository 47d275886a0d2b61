import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type {
  leaderboardSchema,
  metricDistributionSchema,
  riskySessionSchema,
  runLabelSchema,
  runTrendSchema,
  trendChangeSchema,
  trendPointSchema,
  trendSegmentSchema,
  trendSubjectSchema,
  trendVersionSchema,
  unreliableTaskSchema,
} from './schemas/run-trend.ts';

export type TrendSubject = DeepReadonly<z.output<typeof trendSubjectSchema>>;
export type RunLabel = DeepReadonly<z.output<typeof runLabelSchema>>;
export type TrendPoint = DeepReadonly<z.output<typeof trendPointSchema>>;
export type TrendSegment = DeepReadonly<z.output<typeof trendSegmentSchema>>;
export type TrendChange = DeepReadonly<z.output<typeof trendChangeSchema>>;
export type TrendVersion = DeepReadonly<z.output<typeof trendVersionSchema>>;
export type RunTrend = DeepReadonly<z.output<typeof runTrendSchema>>;
export type MetricDistribution = DeepReadonly<z.output<typeof metricDistributionSchema>>;
export type RiskySession = DeepReadonly<z.output<typeof riskySessionSchema>>;
export type UnreliableTask = DeepReadonly<z.output<typeof unreliableTaskSchema>>;
export type Leaderboard = DeepReadonly<z.output<typeof leaderboardSchema>>;
