import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import * as sessions from '../session-builder.ts';
import { failed, ok, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('error-repeated-unchanged');
const findingsIn = (of: ReturnType<typeof session>) => sessions.findingIds(of, ALONE);
const messages = (of: ReturnType<typeof session>) => sessions.findingMessages(of, ALONE);
const pointers = (of: ReturnType<typeof session>) => sessions.evidencePointers(of, ALONE);

type Steps = Parameters<typeof session>[0][number]['steps'] & object;

const refund = failed('refund_order', { order_id: 'A-1001', amount: 425 }, 'amount exceeds order total 42.50');

function inOneTurn(...steps: (typeof refund)[]) {
  return session([{ user: 'Refund A-1001.', steps, agent: 'I could not refund it.' }]);
}

describe('error-repeated-unchanged', () => {
  it('states the error, and cites the repetition, the first call and its result', () => {
    const repeated = inOneTurn(refund, refund, refund);
    expect(findingsIn(repeated)).toEqual(['error-repeated-unchanged@0']);
    expect(messages(repeated)).toEqual([
      '`refund_order` was called 2 more times with `order_id` "A-1001" and `amount` 425 although it had failed with "amount exceeds order total 42.50", and failed in the same way.',
    ]);
    expect(pointers(repeated)).toEqual([
      '/turns/0/steps/1',
      '/turns/0/steps/2',
      '/turns/0/steps/0',
      '/turns/0/steps/0/result',
    ]);
  });

  it.each([
    [4, 'medium'],
    [5, 'high'],
    [20, 'high'],
  ])('has a severity that grows with the number of equal calls: %i', (count, severity) => {
    const repeated = inOneTurn(...Array.from({ length: count }, () => refund));
    expect(collectFindings(repeated, { settings: ALONE }).map((finding) => finding.severity)).toEqual([severity]);
  });

  it('recognizes a result that reports a failure', () => {
    const unflagged = (message: string) =>
      ok('refund_order', { order_id: 'A-1001' }, JSON.stringify({ success: false, message }));
    const [expired, busy] = [unflagged('window expired'), unflagged('service unavailable')];
    expect(messages(inOneTurn(expired, expired))).toEqual([
      '`refund_order` was called again with `order_id` "A-1001" although it had failed with "window expired", and failed in the same way.',
    ]);
    expect(findingsIn(inOneTurn(busy, busy))).toEqual([]);
    expect(findingsIn(inOneTurn(expired, ok('refund_order', { order_id: 'A-1001' })))).toEqual([]);
  });

  it('ignores look-ups in between', () => {
    expect(findingsIn(inOneTurn(refund, ok('get_order', { order_id: 'A-1001' }), refund))).toEqual([
      'error-repeated-unchanged@0',
    ]);
  });

  it.each([
    ['a call that was corrected', [refund, ok('refund_order', { order_id: 'A-1001', amount: 42.5 })]],
    ['a call that then succeeds', [refund, ok('refund_order', { order_id: 'A-1001', amount: 425 })]],
    ['another error', [refund, failed('refund_order', { order_id: 'A-1001', amount: 425 }, 'order is locked')]],
    [
      'a change in between',
      [failed('run_tests', {}, '1 failed'), ok('edit_file', { path: 'a' }), failed('run_tests', {}, '1 failed')],
    ],
    [
      'a look-up that had worked in between',
      [
        failed('get_order', { id: 'A-1' }, 'No record'),
        ok('get_order', { id: 'A-1' }),
        failed('get_order', { id: 'A-1' }, 'No record'),
      ],
    ],
    ['a timeout', [failed('pay', {}, 'Gateway timeout'), failed('pay', {}, 'Gateway timeout')]],
    ['a rate limit', [failed('search', {}, 'HTTP 429'), failed('search', {}, 'HTTP 429')]],
  ])('does not report %s', (_, steps) => {
    expect(findingsIn(inOneTurn(...steps))).toEqual([]);
  });

  describe('across turns', () => {
    const before = { user: 'Refund A-1001.', steps: [refund], agent: 'The amount is above the total.' };
    const then = (user: string | null, steps: Steps = [refund]) =>
      session([before, { user, steps, agent: 'It is still above the total.' }]);

    it('names the turn of the first failure, and cites both calls', () => {
      const repeated = then('Yes, go ahead please.');
      expect(findingsIn(repeated)).toEqual(['error-repeated-unchanged@1']);
      expect(messages(repeated)).toEqual([
        '`refund_order` was called again with `order_id` "A-1001" and `amount` 425 although it had failed in turn 1 with "amount exceeds order total 42.50", and failed in the same way.',
      ]);
      expect(pointers(repeated)).toEqual(['/turns/1/steps/0', '/turns/0/steps/0', '/turns/0/steps/0/result']);
      expect(collectFindings(repeated, { settings: ALONE })).toMatchObject([{ calls: ['/turns/1/steps/0'] }]);
    });

    it.each([
      'Please try again.',
      'Could you retry that?',
      'It should work now.',
      "I've just raised the limit.",
      'I updated my card.',
      'もう一度お願いします。',
    ])('accepts a user who says %j', (user) => {
      expect(findingsIn(then(user))).toEqual([]);
    });

    it.each(['Actually, I wanted the other one.', 'Yes, everything looks correct.', 'Please proceed.'])(
      'is not prevented by %j',
      (user) => {
        expect(findingsIn(then(user))).toEqual(['error-repeated-unchanged@1']);
      },
    );

    it.each<[string, Steps]>([
      ['a change in between', [ok('update_order', { order_id: 'A-1001' }), refund]],
      ['a sub-agent', [{ type: 'agent', name: 'cashier', turns: [] }, refund]],
      [
        'a call of the user',
        [{ type: 'tool', name: 'press', arguments: {}, outcome: 'ok', requestedBy: 'user' }, refund],
      ],
    ])('does not report after %s', (_, steps) => {
      expect(findingsIn(then('Go ahead.', steps))).toEqual([]);
    });

    it('remembers a user message in a turn without calls', () => {
      const between = { user: 'I have paid the rest.', agent: 'Thank you.' };
      const last = { user: 'Go ahead.', steps: [refund], agent: 'It failed.' };
      expect(findingsIn(session([before, between, last]))).toEqual([]);
      expect(findingsIn(session([before, { ...between, user: 'Hm.' }, last]))).toEqual(['error-repeated-unchanged@2']);
    });

    it('skips coding agents, whose users edit files without a trace', () => {
      const test = failed('Bash', { command: 'npm test' }, 'Exit code 1');
      const edit = ok('Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' });
      const turn = { user: 'Run the tests.', steps: [edit, test], agent: 'They fail.' };
      const next = { user: 'Go ahead.', steps: [test], agent: 'They fail.' };
      expect(findingsIn(session([turn, next]))).toEqual([]);
      expect(findingsIn(session([{ ...turn, steps: [edit, test, test] }]))).toEqual(['error-repeated-unchanged@0']);
    });
  });

  it('is unaffected by harmless turns and renamed tools', () => {
    const calls = fc.array(fc.constantFrom(425, 42.5), { maxLength: 5 });
    const harmless = { user: 'Where are you?', steps: [ok('get_shop')], agent: 'In Paris.' };
    const made = (amounts: readonly number[], name = 'refund_order') => ({
      user: 'Refund A-1001.',
      steps: amounts.map((amount) => failed(name, { amount }, 'amount exceeds order total')),
      agent: 'I could not refund it.',
    });
    fc.assert(
      fc.property(calls, (amounts) => {
        const alone = findingsIn(session([made(amounts)]));
        expect(alone).toHaveLength(new Set(amounts).size < amounts.length ? 1 : 0);
        expect(findingsIn(session([made(amounts), harmless]))).toEqual(alone);
        expect(findingsIn(session([made(amounts, 'shop.refundOrder')]))).toEqual(alone);
      }),
    );
  });
});
