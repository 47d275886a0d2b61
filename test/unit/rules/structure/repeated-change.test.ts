import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import {
  findingIds as foundUnder,
  findingMessages as messagesUnder,
  ok,
  onlyRule,
  evidencePointers as pointersUnder,
  session,
} from '../session-builder.ts';

const ALONE = onlyRule('repeated-change');
const findingsIn = (of: Session) => foundUnder(of, ALONE);

const refund = (id: string, over = {}) =>
  ok('refund_order', { order_id: 'NO-58213', amount: 30, ...over }, { ok: true, refund_id: id });

function doing(
  steps: ReturnType<typeof ok>[],
  { user = 'Yes', proposal = 'Shall I refund 30.00 EUR for the lamp?' } = {},
) {
  return session([
    { user: 'The lamp of my order is broken, I want a refund.', agent: proposal },
    { user, steps, agent: 'I have refunded 30.00 EUR.' },
  ]);
}

describe('repeated-change', () => {
  it('states the repeated change, and cites both calls and their results', () => {
    const twice = doing([refund('RF-1'), refund('RF-2')]);
    expect(messagesUnder(twice, ALONE)).toEqual([
      '`refund_order` was executed again with `order_id` "NO-58213" and `amount` 30, with a result of its own; nobody had asked for it twice.',
    ]);
    expect(pointersUnder(twice, ALONE)).toEqual([
      '/turns/1/steps/1',
      '/turns/1/steps/0',
      '/turns/1/steps/1/result',
      '/turns/1/steps/0/result',
    ]);
    expect(collectFindings(twice, { settings: ALONE })).toMatchObject([
      { severity: 'medium', label: 'repeated tool call', calls: ['/turns/1/steps/1'] },
    ]);
  });

  it('reports a repetition in a later turn without a request', () => {
    const book = (id: string) => ok('book_reservation', { flight: 'HAT069' }, { reservation_id: id });
    const later = (user: string) =>
      messagesUnder(
        session([
          {
            user: 'Please book the flight HAT069 for me.',
            steps: [book('HATHAT')],
            agent: 'It is booked.',
          },
          { user, steps: [book('HATHAU')], agent: 'Done.' },
        ]),
        ALONE,
      );
    expect(later('Please change the payment to my card that ends in 7334.')).toEqual([
      '`book_reservation` was executed again after turn 1 with `flight` "HAT069", with a result of its own; nobody had asked for it twice.',
    ]);
    expect(later('Please book the same for my wife.')).toEqual([]);
    expect(later('One more, please.')).toEqual([]);
    expect(later('Go ahead.')).toEqual([]);
  });

  it.each([
    ['the results are the same', [refund('RF-1'), refund('RF-1')]],
    ['a result says that it was so', [refund('RF-1'), refund('RF-1 was already issued')]],
    ['the arguments differ', [refund('RF-1'), refund('RF-2', { amount: 12 })]],
    [
      'a key makes it happen once',
      [refund('RF-1', { idempotency_key: 'k' }), refund('RF-2', { idempotency_key: 'k' })],
    ],
    ['it was taken back in between', [refund('RF-1'), ok('void_refund', { refund_id: 'RF-1' }), refund('RF-2')]],
    [
      'nothing adds up',
      [ok('update_address', { city: 'Bonn' }, { v: 1 }), ok('update_address', { city: 'Bonn' }, { v: 2 })],
    ],
    ['it is cancelled again', [ok('cancel_order', { id: 1 }, { v: 1 }), ok('cancel_order', { id: 1 }, { v: 2 })]],
  ])('does not report when %s', (_, steps) => {
    expect(findingsIn(doing(steps))).toEqual([]);
  });

  it.each([
    ['Yes, refund both lamps.', undefined],
    ['Yes, 2 refunds please.', undefined],
    ['Yes', 'Shall I make two refunds of 30.00 EUR?'],
  ])('does not report after %j', (user, proposal) => {
    expect(findingsIn(doing([refund('RF-1'), refund('RF-2')], proposal ? { user, proposal } : { user }))).toEqual([]);
  });

  it('skips coding agents and sub-agents', () => {
    const twice = doing([refund('RF-1'), refund('RF-2')]);
    expect(findingsIn({ ...twice, coding: true })).toEqual([]);
    expect(findingsIn({ ...twice, partOf: { session: 's', step: 'x' } })).toEqual([]);
  });
});
