import type { MetricOutcome } from '../../core/result.ts';
import { allSteps } from '../../core/steps.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';

/** The number of model calls of a turn and its sub-agents. Informational. */
export const modelCallCount = turnMetric({
  name: 'model_call_count',
  aliases: ['model_call_count_v1', 'inference_call_count_v1'],
  question: 'How many model calls did the agent make?',
  source: 'ADK, efficiency evaluators',
  scale: 'count',
  threshold: null,
  needs: [],

  evaluate({ turn }): MetricOutcome {
    const byModel = new Map<string, number>();
    let count = 0;
    let failed = 0;
    for (const step of allSteps(turn)) {
      if (step.type !== 'model') continue;
      count += 1;
      if (step.error !== undefined) failed += 1;
      if (step.model !== undefined) byModel.set(step.model, (byModel.get(step.model) ?? 0) + 1);
    }
    if (count === 0) return NOT_RECORDED;
    return {
      status: 'scored',
      score: count,
      source: 'rules',
      reason: null,
      metadata: { byModel: Object.fromEntries(byModel), failed },
    };
  },
});

const NOT_RECORDED = notApplicable('The trace records no model call of this turn, so their number is unknown.');
