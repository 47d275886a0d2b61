import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { failed, ok, pending, session, tool } from '../session-builder.ts';

const TOOLS = [tool('get_order'), tool('refund_order'), tool('crm.find_customer')];

function calling(step: ReturnType<typeof ok>, tools: Parameters<typeof session>[1] = TOOLS) {
  return session([{ user: 'Refund A-1001.', steps: [step], agent: 'I could not.' }], tools);
}

function findings(of: Session) {
  return collectFindings(of).filter(({ rule }) => rule === 'unknown-tool');
}

function messages(of: Session): string[] {
  return findings(of).map(({ severity, message }) => `${severity}: ${message}`);
}

describe('unknown-tool', () => {
  it.each([
    [
      failed('cancel_order', {}, 'no'),
      '`cancel_order` was called, which is none of the 3 tools that the agent was given.',
    ],
    [
      pending('refund_orders'),
      '`refund_orders` was called, which is none of the 3 tools that the agent was given. Did it mean `refund_order`?',
    ],
    [
      failed('RefundOrder', {}, 'no'),
      '`RefundOrder` was called, which is none of the 3 tools that the agent was given. Did it mean `refund_order`?',
    ],
    [
      failed('functions.get_order', {}, 'unknown tool'),
      '`functions.get_order` was called, which is none of the 3 tools that the agent was given.',
    ],
    [
      ok('order_x', {}, 'Error: unknown tool "order_x".'),
      '`order_x` was called, which is none of the 3 tools that the agent was given.',
    ],
    [
      ok('order_x', {}, { error: 'The function order_x does not exist.' }),
      '`order_x` was called, which is none of the 3 tools that the agent was given.',
    ],
  ])('reports %#', (step, message) => {
    const [finding, ...more] = findings(calling(step));
    expect(finding).toMatchObject({ severity: 'high', label: 'wrong tool', message, calls: ['/turns/0/steps/0'] });
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/0']);
    expect(more).toEqual([]);
  });

  it('only observes a tool with a result, once for all its calls, since the catalogue may be incomplete', () => {
    const turn = { user: 'When does HAT001 leave?', steps: [ok('get_flight_status')], agent: 'At noon.' };
    const twice = session([turn, { ...turn, steps: [ok('get_order'), ok('get_flight_status')] }], TOOLS);
    expect(messages(twice)).toEqual([
      'info: `get_flight_status` is none of the 3 tools that the agent was given, yet it returned results from 2 calls: the catalogue in the trace may not be complete.',
    ]);
    expect(findings(twice)[0]).toMatchObject({
      turn: 0,
      label: null,
      evidence: [{ pointer: '/turns/0/steps/0' }, { pointer: '/turns/1/steps/1' }],
    });
    expect(messages(calling(ok('get_flight_status'), [tool('one')]))).toEqual([
      'info: `get_flight_status` is not `one`, the only tool that the agent was given, yet it returned a result: the catalogue in the trace may not be complete.',
    ]);
  });

  it.each([
    ['a tool of the catalogue', ok('get_order')],
    ['a namespace that only the call has', ok('functions.get_order')],
    ['a namespace that only the catalogue has', ok('find_customer')],
    ['a hand-over', ok('transfer_to_billing_agent')],
    ['what the provider runs itself', failed('web_search', {}, 'no')],
  ])('does not report %s', (_, step) => {
    expect(messages(calling(step))).toEqual([]);
  });

  it('reports a misspelled handover', () => {
    const misspelt = calling(failed('transfer_to_human_agent', {}, 'no'), [tool('transfer_to_human_agents')]);
    expect(messages(misspelt)[0]).toContain('Did it mean `transfer_to_human_agents`?');
  });

  it('does not report when the catalogue is unknown or empty', () => {
    expect(messages(session([{ user: 'Hi', steps: [ok('anything')], agent: 'Hello' }]))).toEqual([]);
    expect(messages(calling(ok('anything'), []))).toEqual([]);
  });

  it("checks the turn's own catalogue first", () => {
    const turn = { user: 'Refund A-1001.', steps: [failed('get_order', {}, 'no')], agent: 'I could not.' };
    expect(messages(session([{ ...turn, tools: [tool('other')] }], TOOLS))).toEqual([
      'high: `get_order` was called, which is not `other`, the only tool that the agent was given.',
    ]);
  });

  it("suggests a tool of the turn's catalogue", () => {
    const turn = { user: 'Refund A-1001.', steps: [failed('refund_orders', {}, 'no')], agent: 'I could not.' };
    const [first, second] = messages(
      session([
        { ...turn, tools: [tool('refund_order')] },
        { ...turn, tools: [tool('other')] },
      ]),
    );
    expect(first).toContain('Did it mean `refund_order`?');
    expect(second).not.toContain('Did it mean');
  });

  it('reports the same when tools are renamed', () => {
    const name = fc.stringMatching(/^[a-z]{3,10}_[a-z]{3,10}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), fc.nat(), (names, at) => {
        const listed = names.slice(1).map((name) => tool(name));
        const called = names[at % names.length] ?? '';
        const expected = called === names[0] ? ['high'] : [];
        expect(findings(calling(failed(called, {}, 'no'), listed)).map(({ severity }) => severity)).toEqual(expected);
      }),
    );
  });
});
