import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolTrajectoryAvgScore } from '../../../../src/metrics/reference/tool-trajectory-avg-score.ts';
import { evaluateTurn, expectedCall, toolCall } from '../calls.ts';

type Names = readonly string[];

const compare = (expected: Names, actual: Names, options: unknown = {}) =>
  evaluateTurn(
    toolTrajectoryAvgScore,
    {
      steps: actual.map((name) => toolCall(name)),
      reference: { toolCalls: expected.map((name) => expectedCall(name)) },
    },
    options,
  );

describe('tool_trajectory_avg_score', () => {
  it.each<[string, Names, Names, Record<string, 0 | 1>]>([
    ['the same calls', ['a', 'b'], ['a', 'b'], { EXACT: 1, IN_ORDER: 1, ANY_ORDER: 1 }],
    ['one call more', ['a', 'b'], ['a', 'x', 'b'], { EXACT: 0, IN_ORDER: 1, ANY_ORDER: 1 }],
    ['another order', ['a', 'b'], ['b', 'a'], { EXACT: 0, IN_ORDER: 0, ANY_ORDER: 1 }],
    ['one call less', ['a', 'b'], ['a'], { EXACT: 0, IN_ORDER: 0, ANY_ORDER: 0 }],
    ['one call of two of a tool', ['a', 'a'], ['a', 'b'], { EXACT: 0, IN_ORDER: 0, ANY_ORDER: 0 }],
    ['none at all', ['a'], [], { EXACT: 0, IN_ORDER: 0, ANY_ORDER: 0 }],
  ])('%s', (_, expected, actual, scores) => {
    for (const [matchType, score] of Object.entries(scores)) {
      const result = compare(expected, actual, { matchType });
      expect(result, matchType).toMatchObject({ status: 'scored', score, passed: score === 1, source: 'reference' });
    }
  });

  it('judges an empty expectation only if it forbids calls', () => {
    expect(compare([], [])).toMatchObject({ status: 'scored', score: 1, passed: true });
    expect(compare([], ['a'])).toMatchObject({ status: 'scored', score: 0, passed: false });
    for (const matchType of ['IN_ORDER', 'ANY_ORDER']) {
      expect(compare([], ['a'], { matchType })).toMatchObject({ status: 'vacuous', score: 1, passed: null });
    }
  });

  it.each([
    ['IN_ORDER', 'IN_ORDER'],
    ['in-order', 'IN_ORDER'],
    ['Any Order', 'ANY_ORDER'],
    [0, 'EXACT'],
    [1, 'IN_ORDER'],
    [2, 'ANY_ORDER'],
  ])('accepts %s for %s', (matchType, expected) => {
    expect(compare(['a'], ['a'], { matchType }).metadata).toMatchObject({ matchType: expected });
  });

  it.each([{ matchType: 'SOME' }, { matchType: 3 }, { matchTypes: 'EXACT' }, { ignoreArgs: 'no' }])(
    'refuses %o',
    (options) => {
      expect(toolTrajectoryAvgScore.options?.safeParse(options).success).toBe(false);
    },
  );

  const oneArgument = (args: Record<string, unknown> | string, options: unknown = {}) =>
    evaluateTurn(
      toolTrajectoryAvgScore,
      { steps: [toolCall('f', args)], reference: { toolCalls: [expectedCall('f', { a: { x: 1, y: [1, 2] } })] } },
      options,
    );

  it('compares arguments deeply, in any key order and in array order, unless arguments are ignored', () => {
    expect(oneArgument({ a: { y: [1, 2], x: 1 } }).score).toBe(1);
    expect(oneArgument({ a: { y: [2, 1], x: 1 } }).score).toBe(0);
    expect(oneArgument('{"a": broken').score).toBe(0);
    expect(oneArgument('{"a": broken', { ignoreArgs: true }).score).toBe(1);
  });

  it('says what differs and points at the offending calls', () => {
    const result = evaluateTurn(toolTrajectoryAvgScore, {
      steps: [toolCall('a'), toolCall('b', { q: 'London' }), toolCall('refund')],
      reference: { toolCalls: [expectedCall('a'), expectedCall('b', { q: 'Paris' }), expectedCall('cancel')] },
    });
    expect(result.reason).toBe(
      'Call 2, `b`: expected `q` "Paris", actual "London". Expected as call 3: `cancel` without arguments; it was not made. ' +
        'Call 3, not expected: `refund` without arguments.',
    );
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/1', '/turns/0', '/turns/0/steps/2']);
    expect(result.metadata).toMatchObject({ precision: 1 / 3, recall: 1 / 3, f1: 1 / 3 });
    expect(result.metadata.alignment).toHaveLength(4);
  });

  it('does not count allowed differences', () => {
    const result = compare(['a'], ['x', 'a', 'y'], { matchType: 'IN_ORDER' });
    expect(result).toMatchObject({ evidence: [], metadata: { precision: 1 / 3, recall: 1 } });
    expect(compare([], []).metadata).toMatchObject({ precision: null, recall: null, f1: null });
  });

  it('names the file of a turn that comes from another file', () => {
    const result = evaluateTurn(toolTrajectoryAvgScore, {
      file: 'other.json',
      steps: [toolCall('x')],
      reference: { toolCalls: [] },
    });
    expect(result.evidence).toMatchObject([{ file: 'other.json', pointer: '/turns/0/steps/0' }]);
  });

  it('skips calls by a simulated user', () => {
    expect(
      evaluateTurn(toolTrajectoryAvgScore, {
        steps: [toolCall('a', {}, { requestedBy: 'user' })],
        reference: { toolCalls: [] },
      }).score,
    ).toBe(1);
  });

  it('is not applicable without expected calls, and says where to add them', () => {
    const missing = evaluateTurn(toolTrajectoryAvgScore, { steps: [toolCall('a')] });
    expect(missing).toMatchObject({ status: 'not_applicable', score: null });
    expect(missing.reason).toMatch(/reference\.toolCalls.*X\.turnwise\.json/);
    const elsewhere = evaluateTurn(toolTrajectoryAvgScore, {}, {}, { reference: { toolCalls: [expectedCall('a')] } });
    expect(elsewhere).toMatchObject({ status: 'not_applicable', reason: expect.stringMatching(/whole session/) });
    expect(
      evaluateTurn(toolTrajectoryAvgScore, { captured: false, reference: { toolCalls: [expectedCall('a')] } }),
    ).toMatchObject({ status: 'not_applicable', reason: expect.stringMatching(/not recorded/) });
  });

  const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });

  it('is stricter the more the order counts, and agrees with its rates', () => {
    fc.assert(
      fc.property(names, names, (expected, actual) => {
        const [exact, inOrder, anyOrder] = ['EXACT', 'IN_ORDER', 'ANY_ORDER'].map((matchType) =>
          compare(expected, actual, { matchType }),
        );
        expect(exact?.score).toBeLessThanOrEqual(inOrder?.score ?? 0);
        expect(inOrder?.score).toBeLessThanOrEqual(anyOrder?.score ?? 0);
        for (const result of [inOrder, anyOrder]) {
          if (result?.status === 'scored') expect(result.metadata.recall === 1).toBe(result.score === 1);
        }
        expect(exact?.evidence.length === 0).toBe(exact?.score === 1);
      }),
    );
  });

  it('does not depend on the order of calls with ANY_ORDER', () => {
    fc.assert(
      fc.property(names, names, (expected, actual) => {
        const options = { matchType: 'ANY_ORDER' };
        expect(compare(expected, actual.toReversed(), options).score).toBe(compare(expected, actual, options).score);
      }),
    );
  });
});
