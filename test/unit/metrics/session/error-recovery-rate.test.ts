import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolStep } from '../../../../src/core/session.ts';
import { errorRecoveryRate } from '../../../../src/metrics/session/error-recovery-rate.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { evaluateSession, failedToolCall, sessionWithSteps, toolCall } from '../calls.ts';

type Turns = readonly (readonly ToolStep[])[];

const A1 = { arguments: { order_id: 'A-1001' } };

const rate = (...turns: Turns) =>
  evaluateSession(errorRecoveryRate, sessionWithSteps(...turns), collectFindings(sessionWithSteps(...turns)));

describe('error_recovery_rate', () => {
  it.each<[string, Turns, number]>([
    ['a success of the same tool', [[failedToolCall('a'), toolCall('a')]], 1],
    ['a success in a later turn', [[failedToolCall('a')], [toolCall('b')], [toolCall('a')]], 1],
    ['a success before', [[toolCall('a'), failedToolCall('a')]], 0],
    ['a success of another tool', [[failedToolCall('a'), toolCall('b')]], 0],
    [
      'a success of another tool for the same purpose',
      [[failedToolCall('cancel_order', 'no', A1), toolCall('refund_order', A1.arguments)]],
      1,
    ],
    [
      'a look-up of the record to change',
      [[failedToolCall('cancel_order', 'no', A1), toolCall('get_order', A1.arguments)]],
      0,
    ],
    ['another look-up of such a thing', [[failedToolCall('get_user_by_email'), toolCall('find_user_by_name')]], 1],
    ['one success after two errors', [[failedToolCall('a'), failedToolCall('a'), toolCall('a')]], 1],
    ['one of two tools', [[failedToolCall('a'), failedToolCall('b'), toolCall('b')]], 0.5],
    ['another failure only', [[failedToolCall('a'), toolCall('a', {}, { outcome: 'missing' })]], 0],
  ])('%s', (_, turns, expected) => {
    expect(rate(...turns)).toMatchObject({ status: 'scored', score: expected, source: 'rules', passed: null });
  });

  it('does not count calls that the user rejected as errors', () => {
    expect(rate([toolCall('a', {}, { outcome: 'rejected' })])).toMatchObject({
      status: 'vacuous',
      score: 1,
      passed: null,
    });
  });

  it('is vacuous without errors, and not applicable if nothing was recorded', () => {
    expect(rate([toolCall('a')])).toMatchObject({ status: 'vacuous', score: 1 });
    expect(rate([])).toMatchObject({ status: 'vacuous', score: 1 });
    const session = sessionWithSteps([toolCall('a')], []);
    const turns = session.turns.map((turn, index) => (index === 1 ? { ...turn, captured: false as const } : turn));
    expect(evaluateSession(errorRecoveryRate, { ...session, turns })).toMatchObject({ status: 'not_applicable' });
  });

  it('names each error and the call that recovered it', () => {
    const result = rate([failedToolCall('a', 'timeout')], [failedToolCall('b', 'bad id'), toolCall('a')]);
    expect(result.reason).toBe('1 of 2 tool errors was never recovered, the first of `b`.');
    expect(result.metadata).toEqual({
      recovered: 1,
      errors: [
        {
          tool: 'a',
          turn: 0,
          pointer: '/turns/0/steps/0',
          error: 'timeout',
          lost: false,
          recoveredBy: { tool: 'a', turn: 1, pointer: '/turns/1/steps/1' },
        },
        { tool: 'b', turn: 1, pointer: '/turns/1/steps/0', error: 'bad id', lost: true, recoveredBy: null },
      ],
      findings: [{ rule: 'unrecovered-error', calls: ['/turns/1/steps/0'] }],
    });
    expect(result.evidence).toEqual([
      { pointer: '/turns/1/steps/0', note: '`b` failed with "bad id" and was not recovered' },
      { pointer: '/turns/0/steps/0', note: '`a` failed' },
      { pointer: '/turns/1/steps/1', note: '`a` succeeded' },
    ]);
  });

  it('names the first successful call that recovered an error', () => {
    const steps = [
      failedToolCall('cancel_order', 'no', A1),
      toolCall('refund_order', A1.arguments),
      toolCall('cancel_order'),
    ];
    expect(rate(steps).metadata).toMatchObject({ errors: [{ recoveredBy: { tool: 'refund_order' } }] });
    const other = [
      failedToolCall('cancel_order', 'no', A1),
      toolCall('cancel_order'),
      toolCall('refund_order', A1.arguments),
    ];
    expect(rate(other).metadata).toMatchObject({ errors: [{ recoveredBy: { tool: 'cancel_order' } }] });
  });

  it('skips errors whose recovery the trace may hide', () => {
    const subAgent = { type: 'agent', pointer: '', name: 'helper', turns: [] } as const;
    const hidden = evaluateSession(
      errorRecoveryRate,
      sessionWithSteps([failedToolCall('a'), toolCall('a'), failedToolCall('b'), subAgent]),
    );
    expect(hidden).toMatchObject({ status: 'scored', score: 1, metadata: { recovered: 1 } });
    expect(evaluateSession(errorRecoveryRate, sessionWithSteps([failedToolCall('b'), subAgent]))).toMatchObject({
      status: 'not_applicable',
      reason: expect.stringContaining('does not show whether they were recovered'),
    });
  });

  it('never falls when a success follows', () => {
    const step = fc
      .tuple(fc.constantFrom('a', 'b'), fc.boolean())
      .map(([name, ok]) => (ok ? toolCall(name) : failedToolCall(name)));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.constantFrom('a', 'b'), (steps, name) => {
        const [before, after] = [rate(steps), rate([...steps, toolCall(name)])];
        expect(after.score ?? -1).toBeGreaterThanOrEqual(before.score ?? 2);
        expect(before.score).toBeGreaterThanOrEqual(0);
        expect(after.score).toBeLessThanOrEqual(1);
      }),
    );
  });
});
