import * as l10n from '@vscode/l10n';
import type { UsageEstimate } from '../../app/estimate.ts';
import type { Configuration } from '../../config/schema.ts';

/** Above this number of calls, the user is asked first. */
const LARGE_RUN_CALLS = 50;

/** What the user can answer, with the labels of the buttons. */
export function largeRunAnswers() {
  return { continue: l10n.t('Continue'), rulesOnly: l10n.t('Rules Only'), cancel: l10n.t('Cancel') } as const;
}

type CallLimits = Pick<Configuration['judge'], 'maxCalls'>;

export function isLargeRun(estimate: UsageEstimate, limits: CallLimits): boolean {
  return limitedCalls(estimate, limits) > LARGE_RUN_CALLS;
}

/** The estimated calls, as far as the configuration allows them. */
export function limitedCalls(
  { judgeCalls }: UsageEstimate,
  { maxCalls = Number.POSITIVE_INFINITY }: CallLimits,
): number {
  return Math.min(judgeCalls, maxCalls);
}

/** The question, with the figures that the decision needs. */
export function largeRunQuestion(estimate: UsageEstimate, limits: CallLimits): string {
  const { judgeCalls, promptTokens, completionTokens, cost } = estimate;
  const calls = limitedCalls(estimate, limits);
  const share = calls / judgeCalls;
  const tokens = l10n.t(
    'about {0} tokens in and {1} out',
    formatCount(promptTokens * share),
    formatCount(completionTokens * share),
  );
  const price = cost === undefined ? '' : l10n.t(', at a cost of about {0}', formatCost(cost * share));
  return l10n.t('This evaluation makes {0} model calls: {1}{2}. Continue?', formatCount(calls), tokens, price);
}

/** The question in a few words. */
export function largeRunTitle(estimate: UsageEstimate, limits: CallLimits): string {
  return l10n.t('Waiting: make {0} model calls?', formatCount(limitedCalls(estimate, limits)));
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Two decimals, more for small amounts. */
function formatCost(value: number): string {
  return value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}
