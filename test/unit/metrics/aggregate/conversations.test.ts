import { expect, it } from 'vitest';
import { planMetrics } from '../../../../src/engine/plan.ts';
import { runMeans } from '../../../../src/metrics/aggregate/run-means.ts';
import { configuration, counting } from '../../engine/support.ts';
import * as build from '../../reports/report.ts';

const PLAN = planMetrics([counting('agentic', [])], configuration({}));

function conversation(assistant: string | null, correct: boolean, more: object = {}) {
  const metadata = { assistant_id: assistant, is_fully_correct: correct, k: 3, estimator: 'plug-in', ...more };
  return { turns: [], metrics: { agentic: { ...build.scored(correct ? 1 : 0.5), metadata } } };
}

it('estimates pass@k and pass^k of each assistant, with its conversations as attempts', () => {
  const sessions = [
    conversation('v1', true),
    conversation('v1', true),
    conversation('v1', true),
    conversation('v1', false),
    conversation('v2', false),
  ];
  expect(runMeans(sessions, PLAN).agentic?.metadata.conversations).toMatchObject([
    {
      assistant_id: 'v1',
      total_conversations: 4,
      correct_conversations: 3,
      k: 3,
      pass_at_k: 1 - 0.25 ** 3,
      pass_pow_k: 0.75 ** 3,
      pass_at_k_ci_low: null,
      estimator: 'plug-in',
      assessment: 'Inconsistent',
      credible: { pass_at_k: [expect.any(Number), expect.any(Number)] },
    },
    {
      assistant_id: 'v2',
      total_conversations: 1,
      correct_conversations: 0,
      pass_at_k: 0,
      assessment: 'Needs Improvement',
    },
  ]);
});

it('leaves out conversations that were not decided', () => {
  const open = { turns: [], metrics: { agentic: build.unscored('needs_judge') } };
  expect(runMeans([conversation(null, true), open], PLAN).agentic?.metadata.conversations).toMatchObject([
    { assistant_id: null, total_conversations: 1, correct_conversations: 1 },
  ]);
});

it('has counts alone where the estimator needs more conversations', () => {
  const { agentic } = runMeans([conversation('v1', true, { estimator: 'unbiased' })], PLAN);
  expect(agentic?.metadata.conversations).toEqual([
    { assistant_id: 'v1', total_conversations: 1, correct_conversations: 1, k: 3 },
  ]);
});
