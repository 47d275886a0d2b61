import type { AgentOutcome, Gate, OutcomeSource, OutcomeStatus, ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { formatScoreWithScale } from '../core/score-text.ts';
import type { RecordedOutcome } from '../core/session.ts';
import { OUTCOME_SOURCES } from '../core/statuses.ts';
import { metricByName } from '../metrics/index.ts';
import { metricResult } from './metric-results.ts';

/** What each source says of a session; absent where it says nothing. */
export type OutcomeClaims = Readonly<
  Partial<Record<OutcomeSource, Pick<RecordedOutcome, 'status' | 'reason'> | undefined>>
>;

/** Of a session of which nothing is known. */
export const UNKNOWN_OUTCOME: AgentOutcome = {
  status: 'unknown',
  source: null,
  reason: 'Nothing says whether the agent did its job.',
  disagrees: [],
};

/** The strongest source that decides: recorded, then the user, then expectations, then a judge. */
export function decideOutcome(claims: OutcomeClaims): AgentOutcome {
  const decided = OUTCOME_SOURCES.flatMap((source) => {
    const claim = claims[source];
    return claim && claim.status !== 'unknown' ? [{ source, ...claim }] : [];
  });
  const [first, ...weaker] = decided;
  if (!first) {
    return claims.recorded ? { ...UNKNOWN_OUTCOME, reason: claims.recorded.reason } : UNKNOWN_OUTCOME;
  }
  return {
    status: first.status,
    source: first.source,
    reason: first.reason,
    disagrees: weaker.flatMap(({ source, status }) => (status === first.status ? [] : [source])),
  };
}

/** The name of the gate on what a test expects of a session. */
export const EXPECTATIONS_GATE = 'expectations';

/**
 * Expectations are what a test expects of the session, and thresholds, which the user or a file beside the trace sets, on
 * metrics that compare with a reference. One that is not met fails; all must be met to succeed.
 */
export function expectedOutcome(gates: readonly Gate[]): OutcomeClaims['expected'] {
  const expectations = gates.filter(
    ({ metric }) => metric === EXPECTATIONS_GATE || metricByName(metric)?.needs.includes('reference'),
  );
  if (expectations.length === 0) return undefined;
  const unmet = expectations.filter(({ met }) => met === false);
  const [first] = unmet;
  if (first?.metric === EXPECTATIONS_GATE) return { status: 'failed', reason: first.reason };
  if (first) return { status: 'failed', reason: `expectation not met: ${first.metric} ${first.reason}` };
  const status: OutcomeStatus = expectations.every(({ met }) => met === true) ? 'succeeded' : 'unknown';
  const thresholds = expectations.flatMap(({ metric }) => (metric === EXPECTATIONS_GATE ? [] : [metric]));
  return {
    status,
    reason: thresholds.length === 0 ? 'all expectations are met' : `expectations met: ${thresholds.join(', ')}`,
  };
}

/** Metrics whose judged score says whether the agent did its job, the most direct first. */
const JUDGED_OUTCOMES = ['goal_completion', 'resolution_rate', 'task_completion'] as const;

export function isJudgedOutcome(metric: string): boolean {
  return JUDGED_OUTCOMES.some((name) => name === metric);
}

/** What a judge says of the goal; without a goal, of the tasks of the turns, all of which must be completed. */
export function judgedOutcome(
  metrics: ResultsByMetric,
  turns: readonly { readonly metrics: ResultsByMetric }[],
): OutcomeClaims['judge'] {
  for (const name of JUDGED_OUTCOMES) {
    const own = metricResult(metrics, name);
    const results =
      own?.source === 'aggregate' ? turns.flatMap((turn) => metricResult(turn.metrics, name) ?? []) : own ? [own] : [];
    const scored = results.filter(isJudged);
    if (scored.length === 0) continue;
    const failed = scored.find(({ passed }) => passed === false);
    const deciding = failed ?? scored[0];
    const reason =
      deciding?.score === null || !deciding ? name : `${name} ${formatScoreWithScale(deciding.score, deciding.scale)}`;
    if (failed) return { status: 'failed', reason };
    return { status: scored.length === results.filter(isApplicable).length ? 'succeeded' : 'unknown', reason };
  }
  return undefined;
}

/** Scored by a judge, now or when the file was written. What rules decide without one says nothing about the goal. */
function isJudged({ status, passed, source }: Result): boolean {
  return status === 'scored' && passed !== null && (source === 'judge' || source === 'imported');
}

function isApplicable({ status }: { readonly status: string }): boolean {
  return status !== 'not_applicable' && status !== 'vacuous';
}
