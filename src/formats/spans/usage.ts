import type { TokenUsage } from '../../core/session.ts';
import type { Attributes } from './attributes.ts';

interface UsageKeys {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cached?: readonly string[];
  readonly reasoning?: readonly string[];
}

/** The cost of a call in US dollars: OpenLIT's, OpenInference's, Pydantic AI's. */
const COST = ['gen_ai.usage.cost', 'llm.cost.total', 'operation.cost'];

/** Reads token counts under the given keys. The output tokens of spans include reasoning tokens; ours do not. */
export function usageOf(attributes: Attributes, keys: UsageKeys): TokenUsage | undefined {
  const input = attributes.count(...keys.input);
  const output = attributes.count(...keys.output);
  if (input === undefined && output === undefined) return undefined;
  const reasoning = attributes.count(...(keys.reasoning ?? []));
  return {
    inputTokens: input ?? 0,
    outputTokens: Math.max(0, (output ?? 0) - (reasoning ?? 0)),
    cachedTokens: attributes.count(...(keys.cached ?? [])),
    reasoningTokens: reasoning,
    cost: attributes.count(...COST),
  };
}
