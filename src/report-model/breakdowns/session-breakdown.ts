import { quadrant } from '../../metrics/session/quadrant.ts';
import { type NamedResult, ownResults, SESSION_RISK, scoreOf } from '../metric-results.ts';
import type { SessionModel } from '../session-model.ts';
import { type ConsistencyBreakdown, consistencyBreakdown } from './consistency.ts';
import { type ReliabilityBreakdown, reliabilityBreakdown } from './reliability.ts';
import { type RiskBreakdown, riskBreakdown } from './risk.ts';
import { type TrendBreakdown, trendBreakdown } from './trend.ts';

const RELIABILITY = 'agent_reliability';
const CONSISTENCY = 'agent_consistency';
const TREND = 'session_trend';

/** Metrics whose metadata explain more than their reason; they come first, in this order. */
const EXPLAINED: readonly string[] = [SESSION_RISK, RELIABILITY, CONSISTENCY, TREND];

/** What a metric's score is made of. */
export type ScoreBreakdown =
  | ({ readonly metric: typeof SESSION_RISK } & RiskBreakdown)
  | ({ readonly metric: typeof RELIABILITY } & ReliabilityBreakdown)
  | ({ readonly metric: typeof CONSISTENCY } & ConsistencyBreakdown)
  | ({ readonly metric: typeof TREND } & TrendBreakdown);

/** What a session's own scores and the means of its turn scores say. */
export interface SessionBreakdown {
  /** The metrics of the session, those with a breakdown first. */
  readonly metrics: readonly NamedResult[];
  /** The means of its turn metrics. */
  readonly means: readonly NamedResult[];
  /** Reliability and consistency together; null unless both have a score. */
  readonly quadrant: { readonly reliability: number; readonly consistency: number; readonly sentence: string } | null;
}

export function sessionBreakdown({ report }: SessionModel): SessionBreakdown {
  const { metrics, turns, headline } = report;
  const turnMetrics = new Set(turns.flatMap((turn) => Object.keys(turn.metrics)));
  const results = ownResults(metrics);
  const own = results.filter(([metric, { status }]) => !turnMetrics.has(metric) && status !== 'not_applicable');
  const first = EXPLAINED.flatMap((metric) => own.filter(([name]) => name === metric));
  const others = own.filter(([metric]) => !EXPLAINED.includes(metric));
  const [reliability, consistency] = [RELIABILITY, CONSISTENCY].map((metric) => scoreOf(metrics, metric));
  return {
    metrics: [...first, ...others],
    means: results.filter(([metric]) => turnMetrics.has(metric)),
    quadrant:
      reliability == null || consistency == null
        ? null
        : { reliability, consistency, sentence: quadrant(reliability, consistency, headline.kind) },
  };
}

/** Explains a score from its result's metadata; null where they do not. Computes no score. */
export function scoreBreakdown([metric, { metadata }]: NamedResult, model: SessionModel): ScoreBreakdown | null {
  switch (metric) {
    case SESSION_RISK:
      return labelBreakdown(metric, riskBreakdown(metadata, model));
    case RELIABILITY:
      return labelBreakdown(metric, reliabilityBreakdown(metadata, model));
    case CONSISTENCY:
      return labelBreakdown(metric, consistencyBreakdown(metadata, model));
    case TREND:
      return labelBreakdown(metric, trendBreakdown(metadata));
    default:
      return null;
  }
}

function labelBreakdown<Metric extends string, Breakdown>(metric: Metric, breakdown: Breakdown | null) {
  return breakdown && { metric, ...breakdown };
}
