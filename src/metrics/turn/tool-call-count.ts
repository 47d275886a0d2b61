import type { MetricOutcome } from '../../core/result.ts';
import type { ToolOutcome } from '../../core/session.ts';
import { allSteps } from '../../core/steps.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';

/** The number of tool calls of the agent and its sub-agents in a turn. Informational. */
export const toolCallCount = turnMetric({
  name: 'tool_call_count',
  aliases: ['tool_call_count_v1'],
  question: 'How many tool calls did the agent make?',
  source: 'ADK, efficiency evaluators',
  scale: 'count',
  threshold: null,
  needs: [],

  evaluate({ turn }): MetricOutcome {
    const byTool = new Map<string, number>();
    const outcomes: Record<ToolOutcome, number> = { ok: 0, error: 0, rejected: 0, missing: 0 };
    let count = 0;
    for (const step of allSteps(turn)) {
      if (step.type !== 'tool' || step.requestedBy !== 'agent') continue;
      count += 1;
      outcomes[step.outcome] += 1;
      byTool.set(step.name, (byTool.get(step.name) ?? 0) + 1);
    }
    if (count === 0) return turn.captured === false ? NOT_RECORDED : NONE;
    return {
      status: 'scored',
      score: count,
      source: 'rules',
      reason: null,
      metadata: { byTool: Object.fromEntries(byTool), outcomes },
    };
  },
});

const NONE: MetricOutcome = Object.freeze({ status: 'scored', score: 0, source: 'rules', reason: null });
const NOT_RECORDED = notApplicable('This turn was not recorded, so its tool calls are unknown.');
