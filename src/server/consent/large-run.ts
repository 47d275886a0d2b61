import type { UsageEstimate } from '../../app/estimate.ts';
import type { Configuration } from '../../config/schema.ts';

/** Above this number of calls, the user is asked first. */
const LARGE_RUN_CALLS = 50;

export const LARGE_RUN_ANSWERS = ['Go on', 'Rules only', 'Cancel'] as const;

type CallLimits = Pick<Configuration['judge'], 'maxCalls'>;

export function isLargeRun(estimate: UsageEstimate, limits: CallLimits): boolean {
  return limitedCalls(estimate, limits) > LARGE_RUN_CALLS;
}

function limitedCalls({ judgeCalls }: UsageEstimate, { maxCalls = Number.POSITIVE_INFINITY }: CallLimits): number {
  return Math.min(judgeCalls, maxCalls);
}

/** The question, with the figures that the decision needs. */
export function largeRunQuestion(estimate: UsageEstimate, limits: CallLimits): string {
  const { judgeCalls, promptTokens, completionTokens, cost } = estimate;
  const calls = limitedCalls(estimate, limits);
  const share = calls / judgeCalls;
  const tokens = `about ${formatCount(promptTokens * share)} tokens in and ${formatCount(completionTokens * share)} out`;
  const price = cost === undefined ? '' : `, at a cost of about ${formatCost(cost * share)}`;
  return `This evaluation makes ${formatCount(calls)} calls of models: ${tokens}${price}. Go on?`;
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Two decimals, more for small amounts. */
function formatCost(value: number): string {
  return value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}
