import type { MetricOutcome } from '../../core/result.ts';
import type { TokenUsage } from '../../core/session.ts';
import { allSteps } from '../../core/steps.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';

/**
 * Tokens of all model calls of a turn and its sub-agents: input (including tool prompts) + output (including reasoning).
 * Cached tokens are part of the input. Informational.
 */
export const tokenUsage = turnMetric({
  name: 'token_usage',
  aliases: ['token_usage_v1'],
  question: 'How many tokens did the turn use?',
  source: 'ADK, efficiency evaluators',
  scale: 'tokens',
  threshold: null,
  needs: [],

  evaluate({ turn }): MetricOutcome {
    const usages: TokenUsage[] = [];
    let calls = 0;
    for (const step of allSteps(turn)) {
      if (step.type !== 'model') continue;
      calls += 1;
      if (step.usage) usages.push(step.usage);
    }
    if (usages.length === 0) return calls === 0 ? NOT_RECORDED : NOT_REPORTED;

    const of = (count: (usage: TokenUsage) => number | undefined) => total(usages.map(count));
    const toolPrompt = of((usage) => usage.toolPromptTokens);
    const reasoning = of((usage) => usage.reasoningTokens);
    const input = (of((usage) => usage.inputTokens) ?? 0) + (toolPrompt ?? 0);
    const output = (of((usage) => usage.outputTokens) ?? 0) + (reasoning ?? 0);
    const silent = calls - usages.length;
    return {
      status: 'scored',
      score: input + output,
      source: 'rules',
      reason: silent === 0 ? null : `A lower bound: ${silent} of ${calls} model calls report no usage.`,
      metadata: {
        input,
        output,
        total: input + output,
        cached: of((usage) => usage.cachedTokens),
        reasoning,
        toolPrompt,
        modelCalls: calls,
        callsWithoutUsage: silent,
      },
    };
  },
});

/** Null if no call reports the count: unreported is not zero. */
function total(counts: readonly (number | undefined)[]): number | null {
  const reported = counts.filter((count) => count !== undefined && Number.isFinite(count) && count >= 0);
  return reported.length === 0 ? null : reported.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

const NOT_RECORDED = notApplicable('The trace records no model call of this turn, so its tokens are unknown.');
const NOT_REPORTED = notApplicable('No model call of this turn reports its tokens.');
