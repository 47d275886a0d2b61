/** Calls and tokens of models, measured or estimated. */
export interface UsageTotals {
  readonly judgeCalls: number;
  readonly judgeCallsCached: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost?: number;
}

/** `120 calls, 30 from the cache, 41,000 tokens in, 3,600 out, cost 0.18`. */
export function usageText({ judgeCalls, judgeCallsCached, promptTokens, completionTokens, cost }: UsageTotals): string {
  const parts = [
    `${count(judgeCalls)} ${judgeCalls === 1 ? 'call' : 'calls'}`,
    judgeCallsCached === 0 ? '' : `${count(judgeCallsCached)} from the cache`,
    judgeCalls === 0 ? '' : `${count(promptTokens)} tokens in, ${count(completionTokens)} out`,
    cost === undefined ? '' : `cost ${amount(cost)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Two decimals, or as many as a small amount needs. */
function amount(value: number): string {
  return value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}
