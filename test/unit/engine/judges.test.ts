import { expect, it } from 'vitest';
import { totalUsage } from '../../../src/engine/judges.ts';
import type { Judge } from '../../../src/judge/judge.ts';

function judge(model: string, calls: number): Judge {
  const unused = async () => ({ status: 'cancelled', reason: '' }) as const;
  return {
    provider: 'openai',
    model,
    questionsPerCall: 8,
    usage: { calls, callsCached: 0, promptTokens: 10 * calls, completionTokens: calls, callsEstimated: 0 },
    forSession: () => ({ askTurn: unused, askSession: unused }),
  };
}

it('sums the usage of all judges, and lists it by model if metrics have their own', () => {
  const [common, own, idle] = [judge('m', 3), judge('q', 12), judge('idle', 0)];
  expect(totalUsage({ defaultJudge: common, byMetric: new Map() })).toEqual({
    judgeCalls: 3,
    judgeCallsCached: 0,
    promptTokens: 30,
    completionTokens: 3,
  });
  const shared = new Map([
    ['helpfulness', own],
    ['relevance', own],
  ]);
  expect(totalUsage({ defaultJudge: common, byMetric: shared })).toMatchObject({
    judgeCalls: 15,
    judgeCallsOf: { 'openai/m': 3, 'openai/q': 12 },
  });
  expect(totalUsage({ defaultJudge: idle, byMetric: shared })).toMatchObject({ judgeCallsOf: { 'openai/q': 12 } });
});
