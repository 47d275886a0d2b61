import { describe, expect, it } from 'vitest';
import type { JudgeUsage, SessionOutcome } from '../../../src/core/session-outcome.ts';
import { runUsage } from '../../../src/engine/judge-usage.ts';
import { usageBeside } from '../../../src/engine/judges.ts';
import type { Judge } from '../../../src/judge/judge.ts';

function usage(model: string, calls: number, promptTokens = 10 * calls, completionTokens = calls): JudgeUsage {
  return { provider: 'openai', model, calls, callsCached: 0, promptTokens, completionTokens };
}

function outcome(...judgeUsage: readonly JudgeUsage[]): SessionOutcome {
  return {
    id: 's',
    source: { file: 'a.json', format: 'turnwise', pointer: '' },
    facts: { toolSequence: [], neededHuman: false, calls: 0, tokens: null, durationMs: null },
    isRecorded: true,
    isTestCase: false,
    turns: [],
    metrics: {},
    missing: [],
    problems: [],
    observations: [],
    suppressed: [],
    unusedSuppressions: [],
    embeddedTexts: 2,
    judgeUsage,
  };
}

const plan = { judge: { provider: 'openai', model: 'm' }, judges: {}, price: null };
const withOwn = { ...plan, judges: { relevance: { provider: 'openai', model: 'q' } } };

describe('the usage of a run', () => {
  it('is the sum of its sessions, and of what belongs to none', () => {
    expect(runUsage(plan, [outcome(usage('m', 3)), outcome(usage('m', 4))], [usage('m', 1)])).toEqual({
      judgeCalls: 8,
      judgeCallsCached: 0,
      promptTokens: 80,
      completionTokens: 8,
      embeddedTexts: 4,
    });
  });

  it('lists calls by model where metrics have judges of their own, the default judge first', () => {
    const both = [outcome(usage('q', 12)), outcome(usage('m', 3))];
    const { judgeCalls, judgeCallsOf } = runUsage(withOwn, both, []);
    expect([judgeCalls, JSON.stringify(judgeCallsOf)]).toEqual([15, '{"openai/m":3,"openai/q":12}']);
    expect(runUsage(withOwn, [outcome(usage('q', 12))], []).judgeCallsOf).toEqual({ 'openai/q': 12 });
    expect(runUsage(withOwn, [outcome(usage('m', 3))], []).judgeCallsOf).toBeUndefined();
  });

  const price = { input: 2, output: 10 };
  const cost = (...used: readonly JudgeUsage[]) => runUsage({ ...withOwn, price }, [outcome(...used)], []).cost;

  it('costs its tokens times the price', () => {
    expect(cost(usage('m', 4, 1_000_000, 200_000))).toBe(4);
    expect(cost()).toBe(0);
  });

  it('has an unknown cost without a price, without a default judge, or when another model was called', () => {
    expect(runUsage(plan, [outcome(usage('m', 4))], []).cost).toBeUndefined();
    expect(runUsage({ ...plan, judge: null, price }, [], []).cost).toBeUndefined();
    expect(cost(usage('q', 1))).toBeUndefined();
    expect(cost(usage('m', 1, 500_000, 0), { ...usage('q', 0), callsCached: 1 })).toBe(1);
  });
});

it('counts calls outside of sessions, and a judge of several metrics once', () => {
  const judge: Judge = {
    ...plan.judge,
    questionsPerCall: 8,
    turnsPerCall: 1,
    usage: { ...usage('m', 9), callsEstimated: 0 },
    versions: new Set(),
    forSession: () => {
      throw new Error('This judge is not asked.');
    },
    forPair: () => {
      throw new Error('This judge is not asked.');
    },
  };
  const judges = { defaultJudge: judge, byMetric: new Map([['relevance', judge]]) };
  expect(usageBeside(judges, [outcome(usage('m', 3)), outcome(usage('m', 5))])).toEqual([usage('m', 1)]);
  expect(usageBeside(judges, [outcome(usage('m', 9))])).toEqual([]);
});
