import { expect, it } from 'vitest';
import { usageOf } from '../../../src/engine/asking.ts';
import type { Judge } from '../../../src/judge/judge.ts';

function judge(model: string, calls: number): Judge {
  const unused = async () => ({ status: 'cancelled', reason: '' }) as const;
  return {
    provider: 'openai',
    model,
    questionsPerCall: 8,
    usage: { calls, callsCached: 0, promptTokens: 10 * calls, completionTokens: calls, callsEstimated: 0 },
    about: () => ({ askTurn: unused, askSession: unused }),
  };
}

it('adds up what the models of a run were asked, and tells them apart where metrics have their own', () => {
  const [common, own, idle] = [judge('m', 3), judge('q', 12), judge('idle', 0)];
  expect(usageOf({ common, own: new Map() })).toEqual({
    judgeCalls: 3,
    judgeCallsCached: 0,
    promptTokens: 30,
    completionTokens: 3,
  });
  const shared = new Map([
    ['helpfulness', own],
    ['relevance', own],
  ]);
  expect(usageOf({ common, own: shared })).toMatchObject({
    judgeCalls: 15,
    judgeCallsOf: { 'openai/m': 3, 'openai/q': 12 },
  });
  expect(usageOf({ common: idle, own: shared })).toMatchObject({ judgeCallsOf: { 'openai/q': 12 } });
});
