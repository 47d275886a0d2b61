import * as z from 'zod';
import type { TokenUsage, Turn } from '../../core/session.ts';
import { allSteps } from '../../core/steps.ts';
import { defineRule } from '../rule.ts';
import { describeRatio, findOutliers, type Measurement, outlierOptions } from './outliers.ts';

const options = outlierOptions.extend({ tokens: z.number().min(0).default(2000) });

export const tokenOutlier = defineRule<z.infer<typeof options>>({
  id: 'token-outlier',
  title: 'Unusually many tokens',
  proves: 'A turn used far more tokens than the others in its session.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Reports a turn whose model calls, including those of its sub-agents, used at least 2,000 input and output tokens, at least five times the median turn of its session, and which is an outlier by the median absolute deviation (modified z-score above 3.5, on logarithms). At least eight turns must have known token counts.',
    silent:
      'Skips shorter sessions, traces without token counts, and turns in which some model calls do not report theirs. If more than one turn in twenty, and more than one in total, is that large, it is not an outlier but a second kind of turn. A growing conversation is not an outlier either: later turns include the earlier ones.',
    remedy:
      'Look for a result that put a whole file or page into the context, or for many model calls in the turn. Each call reads the whole context again.',
  },
  options,
  check(view, { tokens, ...rest }) {
    const { turns } = view.session;
    const observed = turns.flatMap((turn, index): Measurement<number>[] => {
      const amount = turnTokens(turn);
      return amount === null ? [] : [{ item: index, amount }];
    });
    return findOutliers(observed, rest, tokens).flatMap((outlier) => {
      const turn = turns[outlier.item];
      if (!turn) return [];
      return {
        turn: outlier.item,
        message: `This turn used ${formatTokens(outlier.amount)} tokens, ${describeRatio(outlier)} of its session (${formatTokens(outlier.median)}).`,
        evidence: [view.evidence(outlier.item, turn.pointer, 'the turn with unusually many tokens')],
      };
    });
  },
});

/** Null if a model call has no token counts: the sum and the median would be too small. */
function turnTokens(turn: Turn): number | null {
  let total: number | null = null;
  for (const step of allSteps(turn)) {
    if (step.type !== 'model') continue;
    if (!step.usage) return null;
    total = (total ?? 0) + callTokens(step.usage);
  }
  return total !== null && Number.isFinite(total) && total > 0 ? total : null;
}

function callTokens({ inputTokens, outputTokens, reasoningTokens = 0, toolPromptTokens = 0 }: TokenUsage): number {
  return inputTokens + outputTokens + reasoningTokens + toolPromptTokens;
}

function formatTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}
