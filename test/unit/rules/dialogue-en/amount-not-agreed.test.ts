import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session, ToolStep } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import {
  failed,
  findingIds as foundUnder,
  findingMessages as messagesUnder,
  ok,
  onlyRule,
  evidencePointers as pointersUnder,
  session,
} from '../session-builder.ts';

const ALONE = onlyRule('amount-not-agreed');
const findingsIn = (of: Session) => foundUnder(of, ALONE);
const messages = (of: Session) => messagesUnder(of, ALONE);

const PROPOSAL = 'I am sorry! The lamp cost 30.00 EUR. Shall I refund 30.00 EUR to your card?';

function refunding(
  args: ToolStep['arguments'],
  { proposal = PROPOSAL, user = 'Yes please.', name = 'refund_order', more = [] as ReturnType<typeof ok>[] } = {},
) {
  return session([
    { user: 'Hi, the lamp of my order NO-58213 arrived broken. What can you do?', agent: proposal },
    { user, steps: [ok(name, args), ...more], agent: 'Your refund of 30.00 EUR is on its way.' },
  ]);
}

describe('amount-not-agreed', () => {
  it('states the agreed and the executed amount, and cites the call, the agreement and the proposal', () => {
    const other = refunding({ order_id: 'NO-58213', amount: 184.8 });
    expect(messages(other)).toEqual([
      'The user had agreed ("Yes please.") to "30.00 EUR", but `refund_order` was called with `amount` 184.8.',
    ]);
    expect(pointersUnder(other, ALONE)).toEqual(['/turns/1/steps/0', '/turns/1/input', '/turns/0/output']);
    expect(collectFindings(other, { settings: ALONE })).toMatchObject([
      { severity: 'medium', label: 'wrong arguments', calls: ['/turns/1/steps/0'] },
    ]);
  });

  it.each([
    ['as text', { amount: '184.80' }],
    ['in cents', { amount_cents: 18480 }],
    ['in parts', { refunds: [{ amount: 50 }, { amount: 61 }] }],
    ['within another argument', { refund: { amount: 184.8 } }],
    [
      'instead of the total, which was spoken of as well',
      { amount: 184.8 },
      'You paid 184.80 EUR. Shall I refund 30.00 EUR?',
    ],
  ])('reports the amount %s', (_, args, proposal = PROPOSAL) => {
    expect(findingsIn(refunding(args, { proposal }))).toEqual(['amount-not-agreed@1']);
  });

  it.each([
    ['the amount', { amount: 30 }],
    ['the amount in cents', { amount: 3000 }],
    ['the amount below zero', { amount: -30 }],
    ['the amount in parts', { refunds: [{ amount: 10 }, { amount: 20 }] }],
    ['a multiple', { amount: 60 }],
    ['no amount', { order_id: 'NO-58213' }],
    ['two amounts of different meaning', { amount: 184.8, total: 184.8 }],
    ['an amount that is no price', { max_amount: 500 }],
    ['another currency', { amount: 32.5, currency: 'USD' }],
  ])('does not report %s', (_, args) => {
    expect(findingsIn(refunding(args))).toEqual([]);
  });

  it.each([
    [
      'several amounts',
      'I can refund 30 EUR to your card, or give you a voucher of 184.80 EUR. What do you prefer?',
      'Yes, the latter please.',
    ],
    ['a vague amount', 'Shall I refund about 30 EUR?', 'Yes'],
    ['an amount that is left over', 'After the refund your balance will be 30 EUR. Shall I refund the order?', 'Yes'],
    ['an amount that the user changed', PROPOSAL, 'Yes, but please make it 184.80 EUR.'],
    ['an amount that the user named without a currency', PROPOSAL, 'Yes, but please make it 184.8.'],
    [
      'a difference',
      'The order was 214.80 EUR, and the lamp 30 EUR. Shall I refund the order without the 30 EUR?',
      'Yes',
    ],
    ['a share', 'Shall I refund 231.00 EUR? A fee of 20% applies.', 'Yes'],
    ['nothing that was agreed to', PROPOSAL, 'What about the pegs?'],
  ])('does not report after %s', (_, proposal, user) => {
    expect(findingsIn(refunding({ amount: 184.8 }, { proposal, user }))).toEqual([]);
  });

  it('does not report when the amount was discussed again', () => {
    expect(findingsIn(refunding({ amount: 23 }, { user: 'Yes, but I expect 20 EUR.' }))).toEqual([]);
    const turns = [
      { user: 'I want to buy the lamp, please.', agent: 'Shall I charge 30.00 EUR for the lamp?' },
      { user: 'Yes, please go ahead.', agent: 'It comes to 34.90 EUR then, with the shipping. Which card is it?' },
      { user: 'The Visa.', steps: [ok('charge_card', { amount: 34.9 })], agent: 'Done.' },
    ];
    expect(findingsIn(session(turns))).toEqual([]);
  });

  it('does not report when the amount is paid in several calls', () => {
    expect(findingsIn(refunding({ amount: 10 }, { more: [ok('refund_order', { amount: 20 })] }))).toEqual([]);
    expect(findingsIn(refunding({ amount: 10 }, { more: [ok('refund_order', { amount: 30 })] }))).toEqual([]);
  });

  it('does not report prices for one passenger when the total of all was agreed to', () => {
    const booking = (passengers: readonly string[], key = 'price') => {
      const flights = [228, 202, 148, 114].map((price, index) => ({ flight: `HX${index}`, [key]: price }));
      return session([
        {
          user: 'I want to change my first two flights.',
          steps: [ok('get_booking', { id: 'B1' }, { id: 'B1', passengers })],
          agent: 'The new price of these flights will be $1290. Shall I change them?',
        },
        { user: 'Yes, please go ahead.', steps: [ok('update_flights', { id: 'B1', flights })], agent: 'Done.' },
      ]);
    };
    expect(findingsIn(booking(['Ann', 'Ben', 'Cy']))).toEqual([]);
    expect(findingsIn(booking(['Ann', 'Ben']))).toEqual(['amount-not-agreed@1']);
    expect(findingsIn(booking(['Ann', 'Ben', 'Cy'], 'amount'))).toEqual(['amount-not-agreed@1']);
  });

  it('reads the amount that a user asks for', () => {
    const sessionOf = (user: string) =>
      messages(session([{ user, steps: [ok('pay_bill', { amount: 300 })], agent: 'Done.' }]));
    expect(sessionOf('Please pay 30 EUR to Ben.')).toEqual([
      'The user had asked for "30 EUR", but `pay_bill` was called with `amount` 300.',
    ]);
    expect(sessionOf('Please pay 300 EUR to Ben.')).toEqual([]);
    expect(sessionOf('Please pay the bill of my 1,200 EUR laptop.')).toEqual([]);
    expect(sessionOf('Can you pay 30 EUR to Ben?')).toEqual([]);
    expect(sessionOf('Please pay up to 1,000 EUR to Ben.')).toEqual([]);
  });

  describe('without a proposed amount', () => {
    const booking = (first: number, then: number, proposal = 'Shall I book the flight HAT097?') =>
      session([
        { user: 'I need a flight to Seattle for my friend, please.', agent: proposal },
        {
          user: 'That sounds good. Please proceed with the booking.',
          steps: [
            failed('book_flight', { amount: first }, 'Error: payment amount does not add up'),
            ok('book_flight', { amount: then }),
          ],
          agent: 'It is booked.',
        },
      ]);

    it('reports an amount that was raised after an attempt without asking', () => {
      expect(messages(booking(299, 375))).toEqual([
        'After the user had agreed ("That sounds good. Please proceed with the booking."), `book_flight` failed with `amount` 299 and was then called with 375, without asking again.',
      ]);
      expect(pointersUnder(booking(299, 375), ALONE)).toEqual([
        '/turns/1/steps/1',
        '/turns/1/steps/0',
        '/turns/1/input',
      ]);
    });

    it.each([
      ['lowered', booking(425, 42.5)],
      ['put right', booking(29, 375, 'The fares are $375 and $299. Shall I book the flight HAT097 for the first?')],
      ['the same', booking(299, 299)],
    ])('does not report an amount that was %s', (_, of) => {
      expect(findingsIn(of)).toEqual([]);
    });
  });

  it('skips coding agents, sub-agents and other languages', () => {
    const other = refunding({ amount: 184.8 });
    expect(findingsIn({ ...other, coding: true })).toEqual([]);
    expect(findingsIn({ ...other, partOf: { session: 's', step: 'x' } })).toEqual([]);
    const german = session([
      { user: 'Hallo, die Lampe ist kaputt.', agent: 'Soll ich 30,00 € erstatten?' },
      { user: 'Ja', steps: [ok('refund_order', { amount: 184.8 })], agent: 'Erledigt.' },
    ]);
    expect(findingsIn(german)).toEqual([]);
  });

  it('does not depend on whether the change was confirmed', () => {
    const amounts = fc.integer({ min: 1000, max: 99_999 }).map((cents) => cents / 100);
    fc.assert(
      fc.property(amounts, (amount) => {
        const proposal = `Shall I refund $${amount.toFixed(2)}?`;
        expect(findingsIn(refunding({ amount }, { proposal }))).toEqual([]);
        expect(findingsIn(refunding({ amount: Math.round(amount * 137) / 100 }, { proposal }))).toEqual([
          'amount-not-agreed@1',
        ]);
      }),
    );
  });
});
