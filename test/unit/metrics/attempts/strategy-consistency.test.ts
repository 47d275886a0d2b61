import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyConsistency } from '../../../../src/metrics/attempts/strategy-consistency.ts';
import { sessionFacts } from '../../../../src/metrics/shared/session-facts.ts';
import { UNKNOWN_OUTCOME } from '../../../../src/report-model/agent-outcome.ts';
import { sessionWithSteps, toolCall } from '../calls.ts';
import { resultOf } from '../views.ts';

function over(...attempts: readonly string[]) {
  const view = {
    attempts: attempts.map((tools) => ({
      facts: sessionFacts(sessionWithSteps([...tools].map((name) => toolCall(name)))),
      outcome: UNKNOWN_OUTCOME,
      verdict: 'passed' as const,
      result: () => undefined,
    })),
    similar: () => [],
  };
  return resultOf(strategyConsistency.evaluate(view, { by: 'task', similarity: 0.5 }), strategyConsistency);
}

describe('strategy_consistency', () => {
  it.each([
    ['the same each time', ['abc', 'abc', 'abc'], 1],
    ['nothing in common', ['ab', 'cd'], 0],
    ['one call of two replaced', ['ab', 'ac'], 0.5],
    ['two alike and one without tools', ['a', 'a', ''], 1 / 3],
  ])('%s', (_, attempts, expected) => {
    expect(over(...attempts)).toMatchObject({ status: 'scored', score: expect.closeTo(expected, 12), passed: null });
  });

  it('requires two attempts with tool calls', () => {
    expect(over('abc')).toMatchObject({ status: 'not_applicable', score: null });
    expect(over('', '')).toMatchObject({ status: 'vacuous', score: 1, passed: null });
  });

  it('stays between 0 and 1 and does not depend on the order of attempts', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[abc]{0,6}$/), { minLength: 2, maxLength: 6 }), (attempts) => {
        const score = over(...attempts).score ?? -1;
        expect(score).toBeGreaterThanOrEqual(-1e-12);
        expect(score).toBeLessThanOrEqual(1);
        expect(over(...attempts.toReversed()).score).toBeCloseTo(score, 12);
      }),
    );
  });

  it('distinguishes strategies', () => {
    expect(over('ab', 'ab', 'b').metadata).toMatchObject({
      attempts: 3,
      strategies: [
        { tools: ['a', 'b'], attempts: 2 },
        { tools: ['b'], attempts: 1 },
      ],
    });
  });
});
