import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolSelectionAccuracy } from '../../../../src/metrics/reference/tool-selection-accuracy.ts';
import { evaluateTurn, expectedCall, toolCall } from '../calls.ts';

const select = (expected: readonly string[], actual: readonly string[]) =>
  evaluateTurn(toolSelectionAccuracy, {
    steps: actual.map((name) => toolCall(name, { any: 1 })),
    reference: { toolCalls: expected.map((name) => expectedCall(name)) },
  });

describe('tool_selection_accuracy', () => {
  it.each([
    ['all found, in any order', ['a', 'b'], ['b', 'a', 'x'], 1, 2 / 3],
    ['one of two calls of a tool', ['a', 'a'], ['a'], 0.5, 1],
    ['none found', ['a'], ['b'], 0, 0],
  ])('%s', (_, expected, actual, score, precision) => {
    expect(select(expected, actual)).toMatchObject({
      status: 'scored',
      score,
      passed: score >= 0.85,
      metadata: { accuracy: 100 * score, expected, actual, correct: score * expected.length, precision },
    });
  });

  it('names missing tools, likely intended tools and unexpected tools', () => {
    const result = select(['search', 'b'], ['Search', 'b']);
    expect(result.reason).toBe('Called 1 of 2 expected tools; missing `search`. Did you mean `Search`?');
    expect(result.evidence).toEqual([
      { pointer: '/turns/0', note: '`search` was expected and not called' },
      { pointer: '/turns/0/steps/0', note: '`Search` was not expected' },
    ]);
  });

  it('has no precision without calls', () => {
    expect(select(['a'], [])).toMatchObject({ score: 0, metadata: { precision: null } });
  });

  it('is not applicable if no tools were expected', () => {
    expect(select([], ['a'])).toMatchObject({ status: 'not_applicable', score: null });
    expect(evaluateTurn(toolSelectionAccuracy, {})).toMatchObject({ status: 'not_applicable' });
  });

  it('stays between 0 and 1 and does not depend on the order', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, names, (expected, actual) => {
        const score = select(expected, actual).score ?? -1;
        expect(score >= 0 && score <= 1).toBe(true);
        expect(select(expected.toReversed(), actual.toReversed()).score).toBe(score);
      }),
    );
  });
});
