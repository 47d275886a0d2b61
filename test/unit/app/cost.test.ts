import { describe, expect, it } from 'vitest';
import { computeCost } from '../../../src/app/cost.ts';
import type { Judge } from '../../../src/judge/judge.ts';

function judge(model: string, calls: number, promptTokens: number, completionTokens: number): Judge {
  return {
    provider: 'openai',
    model,
    questionsPerCall: 1,
    usage: { calls, callsCached: 0, promptTokens, completionTokens, callsEstimated: 0 },
    forSession: () => {
      throw new Error('This judge is not asked.');
    },
  };
}

const price = { input: 2, output: 10 };
const common = judge('a', 4, 1_000_000, 200_000);
const cost = (own: readonly [string, Judge][], asked: Judge | null = common) =>
  computeCost({ defaultJudge: asked, byMetric: new Map(own) }, price);

describe('computeCost', () => {
  it('multiplies tokens by the price', () => {
    expect(cost([])).toBe(4);
  });

  it('counts a judge of several metrics once, and other judges of the same model too', () => {
    const other = judge('a', 1, 500_000, 0);
    expect(
      cost([
        ['x', common],
        ['y', other],
        ['z', other],
      ]),
    ).toBe(5);
  });

  it('is unknown without a price, or if another model was asked', () => {
    expect(computeCost({ defaultJudge: common, byMetric: new Map() }, undefined)).toBeNull();
    expect(cost([], null)).toBeNull();
    expect(cost([['x', judge('b', 1, 10, 10)]])).toBeNull();
    expect(cost([['x', judge('b', 0, 0, 0)]])).toBe(4);
  });
});
