import type { Judges } from '../engine/judges.ts';

/** Per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** The cost of all judges; null if it is unknown: the configured price applies to the default judge's model only. */
export function computeCost({ defaultJudge: common, byMetric: own }: Judges, price: Price | undefined): number | null {
  if (!price || !common) return null;
  const others = [...own.values()].filter(({ usage }) => usage.calls > 0);
  if (others.some(({ provider, model }) => provider !== common.provider || model !== common.model)) return null;
  const usages = [...new Set([common, ...others])].map(({ usage }) => usage);
  const tokens = (key: 'promptTokens' | 'completionTokens') => usages.reduce((sum, usage) => sum + usage[key], 0);
  return (tokens('promptTokens') * price.input + tokens('completionTokens') * price.output) / 1e6;
}
