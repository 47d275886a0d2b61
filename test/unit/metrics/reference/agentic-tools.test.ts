import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpectedCall, ToolStep, TurnReference } from '../../../../src/core/session.ts';
import { agenticTools } from '../../../../src/metrics/reference/agentic-tools.ts';
import { evaluateTurn, expectedCall, toolCall } from '../calls.ts';

const tools = (
  expected: readonly ExpectedCall[],
  used: readonly ToolStep[],
  more: TurnReference = {},
  options: unknown = {},
  output = 'Done.',
) => evaluateTurn(agenticTools, { output, steps: used, reference: { toolCalls: expected, ...more } }, options);

const USED: TurnReference = { usesToolResults: true };

describe('agentic_tools', () => {
  it.each<[string, readonly ExpectedCall[], readonly ToolStep[], readonly [number, number, number]]>([
    ['all as expected', [expectedCall('f', { a: 1 })], [toolCall('f', { a: 1 })], [1, 1, 1]],
    ['a call too many', [expectedCall('f')], [toolCall('f'), toolCall('f')], [2 / 3, 1, 1]],
    ['a call too few', [expectedCall('f'), expectedCall('f')], [toolCall('f')], [2 / 3, 0.5, 0.5]],
    [
      'two calls of a tool in the other order, each with its own arguments',
      [expectedCall('f', { a: 1 }), expectedCall('f', { a: 2 })],
      [toolCall('f', { a: 2 }), toolCall('f', { a: 1 })],
      [1, 1, 1],
    ],
    ['another order of tools', [expectedCall('f'), expectedCall('g')], [toolCall('g'), toolCall('f')], [1, 1, 0.5]],
    [
      'nested arguments',
      [expectedCall('f', { a: { x: 1, y: 2 } })],
      [toolCall('f', { a: { x: 1, y: 3 } })],
      [1, 0.5, 1],
    ],
    ['nothing was expected', [], [toolCall('f')], [0, 0, 0]],
  ])('aspects: %s', (_, expected, used, [selection, parameters, sequence]) => {
    const { metadata, score } = tools(expected, used, USED);
    expect(metadata).toMatchObject({
      tool_selection_correct: selection,
      parameter_accuracy: parameters,
      sequence_correct: sequence,
      result_utilization: 1,
    });
    expect(score).toBeCloseTo((selection + parameters + sequence + 1) / 4, 12);
    expect(metadata.overall_correctness).toBe(score);
  });

  it('ignores the order if it does not matter', () => {
    const other = tools([expectedCall('f'), expectedCall('g')], [toolCall('g'), toolCall('f')], {
      ...USED,
      orderMatters: false,
    });
    expect(other).toMatchObject({ score: 1, passed: true, band: { name: 'perfect' }, metadata: { is_correct: true } });
  });

  it('detects results used in the answer and points at it', () => {
    const used = [toolCall('f', {}, { result: { price: 1299 }, resultPointer: '/results/0' })];
    const result = tools([expectedCall('f')], used, {}, {}, 'It costs 1299.');
    expect(result).toMatchObject({ status: 'scored', score: 1, metadata: { result_utilization: 1 } });
    expect(result.evidence).toEqual([
      { pointer: '/turns/0', note: 'the answer has 1299 from the result of `f`' },
      { pointer: '/results/0', note: 'the result that gives 1299' },
    ]);
  });

  it('leaves the use of results to a judge if the answer does not show it', () => {
    const result = tools([expectedCall('f')], [toolCall('f', {}, { result: 'shipped' })]);
    expect(result).toMatchObject({
      status: 'needs_judge',
      score: null,
      metadata: { tool_selection_correct: 1, result_utilization: null, overall_correctness: null },
    });
    const unweighted = tools([expectedCall('f')], [toolCall('f')], {}, { weights: { utilization: 0 } });
    expect(unweighted).toMatchObject({ status: 'scored', score: 1 });
  });

  it('trusts the flag in the data', () => {
    const used = [toolCall('f', {}, { result: 1299 })];
    expect(tools([expectedCall('f')], used, { usesToolResults: false }, {}, 'It costs 1299.').score).toBe(0.75);
  });

  it('treats results of unexpected calls as unused unless the answer uses them', () => {
    expect(tools([], [toolCall('f')])).toMatchObject({ status: 'scored', score: 0 });
    expect(tools([], [toolCall('f', {}, { result: 1299 })], {}, {}, 'It costs 1299.').score).toBe(0.25);
  });

  it('is 0 if tools were expected and none was used', () => {
    for (const orderMatters of [true, false]) {
      expect(tools([expectedCall('f')], [], { ...USED, orderMatters })).toMatchObject({
        status: 'scored',
        score: 0,
        passed: false,
        metadata: { overall_correctness: 0, is_correct: false },
      });
    }
  });

  it('is not applicable without expected or used tools, or without expectations', () => {
    expect(tools([], [])).toMatchObject({ status: 'not_applicable' });
    expect(evaluateTurn(agenticTools, { steps: [toolCall('f')] })).toMatchObject({ status: 'not_applicable' });
  });

  it('normalizes weights and rejects weights that sum to 0', () => {
    const half = tools([expectedCall('f', { a: 1 })], [toolCall('f', { a: 2 })], USED, {
      weights: { selection: 2, parameters: 2, sequence: 0, utilization: 0 },
    });
    expect(half.score).toBe(0.5);
    const { options } = agenticTools;
    expect(options?.safeParse({ weights: { selection: 0, parameters: 0, sequence: 0, utilization: 0 } }).success).toBe(
      false,
    );
    expect(options?.safeParse({ weights: { selection: -1 } }).success).toBe(false);
    expect(options?.safeParse({ compat: 'other' }).success).toBe(false);
    expect(options?.parse({ weights: { selection: 1 } })).toEqual({
      weights: { selection: 1, parameters: 0.25, sequence: 0.25, utilization: 0.25 },
    });
  });

  it('says what is wrong, with the calls as evidence', () => {
    const result = tools([expectedCall('find', { q: 'x' })], [toolCall('find', { q: 'y' }), toolCall('refund')], USED);
    expect(result.reason).toBe(
      'Selection 0.67, parameters 0.00, sequence 1.00, utilization 1.00. ' +
        'Call 1, `find`: expected `q` "x", actual "y". Call 2, not expected: `refund` without arguments.',
    );
    expect(result.metadata.reasoning).toBe(result.reason);
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/0', '/turns/0/steps/1']);
  });

  it('says if only the order differs', () => {
    const expected = ['a', 'find', 'book'].map((name) => expectedCall(name));
    const result = tools(expected, [toolCall('a'), toolCall('book'), toolCall('find')], USED);
    expect(result.reason).toMatch(/From call 2 on, the order is `book`, `find`; expected was `find`, `book`\.$/);
    expect(result.evidence).toMatchObject([{ pointer: '/turns/0/steps/1' }]);
  });

  it('in compat mode returns the null of the source if no tools were used, with the aspects beside it', () => {
    expect(tools([expectedCall('f')], [], {}, { compat: 'fair-forge' })).toMatchObject({
      status: 'not_applicable',
      metadata: { tool_selection_correct: 0, result_utilization: 0, overall_correctness: 0 },
    });
  });

  it('in compat mode reads absent parameters and steps as its source does', () => {
    const compat = { compat: 'fair-forge' };
    const { metadata } = tools([expectedCall('f', { a: null }), expectedCall('f')], [toolCall('f')], {}, compat);
    expect(metadata).toMatchObject({ parameter_accuracy: 1, sequence_correct: 0.5 });
    expect(tools([expectedCall('f', { a: [true] })], [toolCall('f', { a: [1] })], {}, compat).metadata).toMatchObject({
      parameter_accuracy: 1,
    });
    expect(tools([expectedCall('f')], [toolCall('f', 'raw')], {}, compat).metadata).toMatchObject({
      parameter_accuracy: 0,
    });
  });

  const args = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, true, null, { x: 1 }), { maxKeys: 2 });
  const expectedCalls = fc.array(fc.record({ name: fc.constantFrom('f', 'g'), arguments: args }), { maxLength: 5 });
  const usedCalls = fc.array(
    fc
      .tuple(fc.constantFrom('f', 'g'), fc.oneof(args, fc.constant('raw')))
      .map(([name, input]) => toolCall(name, input)),
    { maxLength: 5 },
  );

  it('stays between 0 and 1 in both modes', () => {
    fc.assert(
      fc.property(
        expectedCalls,
        usedCalls,
        fc.constantFrom({}, { compat: 'fair-forge' }),
        (expected, used, options) => {
          const { score, metadata } = tools(expected, used, USED, options);
          for (const figure of [score ?? 0, ...Object.values(metadata).filter((value) => typeof value === 'number')]) {
            expect(figure >= 0 && figure <= 1).toBe(true);
          }
        },
      ),
    );
  });

  it('does not depend on the order of calls if the order does not matter', () => {
    fc.assert(
      fc.property(expectedCalls, usedCalls, (expected, used) => {
        const more = { ...USED, orderMatters: false };
        const [forth, back] = [tools(expected, used, more), tools(expected, used.toReversed(), more)];
        expect(back.score ?? -1).toBeCloseTo(forth.score ?? -1, 9);
      }),
    );
  });
});
