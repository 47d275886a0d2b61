import type { UsageEstimate } from '../../app/estimate.ts';
import type { Configuration } from '../../config/schema.ts';

/** More calls than this are not made without a word. */
const MANY_CALLS = 50;

export const LARGE_ANSWERS = ['Go on', 'Rules only', 'Cancel'] as const;

type Limits = Pick<Configuration['judge'], 'maxCalls'>;

export function isLarge(estimate: UsageEstimate, limits: Limits): boolean {
  return callsOf(estimate, limits) > MANY_CALLS;
}

function callsOf({ judgeCalls }: UsageEstimate, { maxCalls = Number.POSITIVE_INFINITY }: Limits): number {
  return Math.min(judgeCalls, maxCalls);
}

/** With the figures by which a person decides. */
export function largeQuestion(estimate: UsageEstimate, limits: Limits): string {
  const { judgeCalls, promptTokens, completionTokens, cost } = estimate;
  const calls = callsOf(estimate, limits);
  const share = calls / judgeCalls;
  const tokens = `about ${count(promptTokens * share)} tokens in and ${count(completionTokens * share)} out`;
  const price = cost === undefined ? '' : `, at a cost of about ${amount(cost * share)}`;
  return `This evaluation makes ${count(calls)} calls of models: ${tokens}${price}. Go on?`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Two decimals, or as many as a small amount needs. */
function amount(value: number): string {
  return value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}
