import * as z from 'zod';
import type { Registry } from '../../../src/config/check.ts';
import type { Metric } from '../../../src/metrics/metric.ts';
import { sessionMetric, turnMetric } from '../../../src/metrics/metric.ts';

const nothing = () => ({ status: 'not_applicable', reason: 'This is a test.' }) as const;

function metric(name: string, rest: Partial<Metric> = {}): Metric {
  const definition = {
    name,
    question: 'Does it hold?',
    source: 'test',
    scale: 'unit',
    threshold: 0.5,
    needs: [],
  } as const;
  return turnMetric({ ...definition, ...rest, evaluate: nothing });
}

/** One metric and rule of each kind that a configuration can name. */
export const TEST_REGISTRY: Registry = {
  metrics: [
    metric('coherence', { needs: ['judge'] }),
    metric('conversation_coherence', { scale: 'likert', threshold: 3 }),
    metric('loop_detection'),
    metric('tool_call_count', { scale: 'count', threshold: null, aliases: ['tool_call_count_v1'] }),
    metric('agent_behavior_failure', { scale: 'label', threshold: null }),
    metric('tool_trajectory_avg_score', {
      threshold: 1,
      options: z.object({
        matchType: z.enum(['EXACT', 'IN_ORDER', 'ANY_ORDER']).default('EXACT'),
        ignoreArgs: z.boolean().default(false),
      }),
    }),
    metric('response_evaluation_score', {
      scale: 'likert',
      threshold: 3.5,
      optIn: true,
      options: z.strictObject({
        samples: z.int().positive().default(5),
        rubrics: z.array(z.strictObject({ id: z.string(), text: z.string() })).default([]),
      }),
    }),
    sessionMetric({
      name: 'agentic',
      question: 'Are all answers right?',
      source: 'test',
      scale: 'unit',
      threshold: 0.7,
      needs: ['reference'],
      optIn: true,
      options: z.strictObject({ k: z.int().positive() }),
      evaluate: nothing,
    }),
  ],
  rules: [
    {
      id: 'repeated-call',
      title: 'Repeated call',
      options: z.strictObject({ often: z.int().positive().default(3) }),
    },
    { id: 'no-answer', title: 'No answer' },
  ],
  formats: [{ name: 'openai-chat' }],
};
