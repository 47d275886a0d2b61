import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { load } from '../../../../src/input/load.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { sharedData } from '../../../support/shared-data.ts';
import { failed, ok, pending, retrieved, session } from '../session-builder.ts';

const IDS = ['ungrounded-value', 'misquoted-figure', 'ungrounded-argument'];

function grounding(of: Session) {
  return collectFindings(of).filter(({ rule }) => IDS.includes(rule));
}

function rules(of: Session): string[] {
  return grounding(of).map(({ rule, turn }) => `${rule}@${turn}`);
}

const policy =
  'Shipping costs $12 per parcel. Each extra bag is 50 dollars. Returns are free within 14 days after delivery. Lamps have 2 months of warranty.';
const order = ok(
  'get_order',
  { order_id: 'W2001' },
  {
    order_id: 'W2001',
    total: 452.1,
    items: [
      { name: 'Desk Lamp', item_id: '7453605304', price: 150.01, quantity: 1 },
      { name: 'Backpack', item_id: '2492465580', price: 302.09, quantity: 1 },
    ],
    delivered: '2026-03-03',
    scheduled_departure_time: '15:05:00',
    card: '4539578763621486',
  },
);

function answering(agent: string, { steps = [order], user = 'What about my order W2001?' } = {}): Session {
  return { ...session([{ user, steps, agent }]), system: policy };
}

describe('ungrounded-value', () => {
  it('states the ungrounded value and cites the answer', () => {
    const [finding, ...others] = grounding(answering('The total of order W2001 will be refunded as $389.99.'));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: 'ungrounded-value',
      turn: 0,
      message:
        'The answer states "$389.99" in "The total of order W2001 will be refunded as $389.99.", which no tool result, document or message before it contains.',
      evidence: [{ pointer: '/turns/0/output', note: 'where the answer states "$389.99"' }],
    });
  });

  it.each([
    [
      'no more than some words of a long sentence',
      `${'It is so much and so on, '.repeat(9)}and $389.99 comes back${', and so on and so forth'.repeat(9)}.`,
      '…and so on, It is so much and so on, and $389.99 comes back, and so on and so forth, and so…',
    ],
    ['its own sentence', 'Hello! You get $389.99. Good-bye!', 'You get $389.99.'],
    [
      'not half a sentence for the number of a day',
      'Am 14. März kommen $389.99 zurück.',
      'Am 14. März kommen $389.99 zurück.',
    ],
    ['what stands in quotation marks', '"refund": $389.99,', "'refund': $389.99,"],
    ['no secret', `The password is Gx7#q${'L'}p2!vTz: $389.99.`, 'The password is [REDACTED password]: $389.99.'],
  ])('quotes %s', (_, answer, quoted) => {
    expect(grounding(answering(answer)).map(({ message }) => message)).toEqual([
      `The answer states "$389.99" in "${quoted}", which no tool result, document or message before it contains.`,
    ]);
  });

  it('does not include the end of a sentence in a day', () => {
    expect(grounding(answering('It ends on 18 March.')).map(({ message }) => message)).toEqual([
      'The answer states "18 March" in "It ends on 18 March.", which no tool result, document or message before it contains; `get_order` returned "2026-03-03" as `delivered`.',
    ]);
  });

  it('quotes nothing when the value is the whole answer', () => {
    expect(grounding(answering('$389.99')).map(({ message }) => message)).toEqual([
      'The answer states "$389.99", which no tool result, document or message before it contains.',
    ]);
  });

  it('shows the closest value in a result', () => {
    const [finding] = grounding(answering('Your parcel costs you $320.09.'));
    expect(finding?.message).toBe(
      'The answer states "$320.09" in "Your parcel costs you $320.09.", which no tool result, document or message before it contains; `get_order` returned "302.09" as `price`.',
    );
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/output', '/turns/0/steps/0/result']);
  });

  it.each([
    'Your confirmation number is BK-48213.',
    'Please use the ticket number ETK-HATHAT-001.',
    'I found order W2017.',
    'Its warranty ends on July 19, 2026.',
    'It leaves at 3:47 pm.',
    'It will be charged to the card ending in 8812.',
    'That is 23.7% of all.',
    'The card is 4539 5787 6362 1487.',
    'It can be returned until 18 March.',
    'Its number is 8273.',
  ])('reports %j', (answer) => {
    expect(rules(answering(answer))).toEqual(['ungrounded-value@0']);
  });

  it.each([
    ['the same in another format', 'Your order W2001 of 452.10 USD came on March 3 and leaves at 3:05 pm.'],
    ['a figure of the instructions', 'Shipping is $12.00.'],
    ['what the user said', 'As you said, $777.77 is the limit.'],
    ['a sum', 'The lamp, the backpack and shipping come to $464.10.'],
    ['a difference', 'The backpack costs $152.08 more.'],
    ['a multiple', 'Three bags cost $150.'],
    ['a share', 'You get 10% of it, which is $45.21.'],
    ['a rounding', 'You paid $452.'],
    ['a calculation that it shows', 'That makes 54 × 17.5 = $945.'],
    ['an example', 'For example, a lamp of $89.99 would do.'],
    ['what is usual', 'Such lamps typically cost $89.99.'],
    ['an approximation', 'It is about $480.'],
    ['small whole numbers, years and lists', '1. You have 7 orders since 2019.\n2. Call us within 14 days.'],
    ['a word with a number', 'The 24-hour window has passed, see step_1 in Q4.'],
    ['code and addresses', 'See https://shop.test/W9999/317.55\n```\nprice: 389.99\n```'],
    ['a day that follows', 'It will be with you the next day, March 9.'],
    ['a day beside one that was seen', 'It arrives on March 4.'],
    ['a half hour', 'Shall we say 4:30 pm?'],
    ['a standard', 'It is ISO 9001 certified and fulfils EN 13537, see RFC 9110.'],
    ['a period after a day that was seen', 'It can be returned until 17 March.'],
    ['months after a day that was seen', 'Its warranty ends on 3 May.'],
    ['the tax that a price includes', 'With 19% of tax included, $72.18 of it is tax.'],
    ['the price without it', 'With 19% of tax included, it costs $379.92 without.'],
    ['a card in groups', 'The card is 4539 5787 6362 1486.'],
    ['nothing', 'You are welcome!'],
  ])('ignores %s', (_, answer) => {
    expect(rules(answering(answer, { user: 'What about my order W2001? At most $777.77.' }))).toEqual([]);
  });

  it.each([
    ['the low end of a range', 'Lamps cost $289.99 or more.'],
    ['a figure that was rounded down', 'You paid $289+.'],
    ['the ends of an approximate range', 'Lamps cost about 260 to 289 dollars.'],
    ['an example under its heading', 'Send me two numbers. Example:\n\n- Order: W2089\n- Price: $289.99'],
    ['a placeholder that the user is asked to fill in', 'Please provide a gift_card_1234567 or a card (ends in 1234).'],
    ['the end of a longer number', 'The card ends in 21486.'],
  ])('ignores %s', (_, answer) => {
    expect(rules(answering(answer))).toEqual([]);
  });

  it.each([
    ['more than a sum', 'Lamps cost $289.99 + shipping.'],
    ['a value below another heading', 'For example:\n- W1\n\nYour order:\n- Price: $289.99'],
    ['a value that looks like a placeholder but is stated', 'Your confirmation number is BK-12345.'],
    ['digits that are not the end of a number', 'The card ends in 31486.'],
  ])('reports %s', (_, answer) => {
    expect(rules(answering(answer))).toEqual(['ungrounded-value@0']);
  });

  it('reads a day that is broken over two lines', () => {
    const steps = [ok('read_mail', {}, 'body: The workshop is on June\n    10th at noon.')];
    expect(rules(answering('The workshop is on June 10th.', { steps }))).toEqual([]);
    expect(rules(answering('The workshop is on June 14th.', { steps }))).toEqual(['ungrounded-value@0']);
  });

  describe('calculations', () => {
    const asked = (answer: string, result: unknown, user = 'What does it cost?') =>
      rules(answering(answer, { steps: [ok('look_up', {}, result)], user }));
    const prices = (...all: number[]) =>
      all.map((price, index) => ({ code: `PX-${index + 1}00`, price, stock: 3 + index }));

    it('knows results of many turns ago', () => {
      const turns = (answer: string) => [
        { user: 'Which cards do I have?', steps: [ok('get_user', {}, { balance: 198.4 })], agent: 'I can see one.' },
        { user: 'And the others?', steps: [ok('get_vouchers', {}, { value: 129.25 })], agent: 'And a voucher.' },
        ...['Thanks.', 'And the weather?', 'I see.'].map((user) => ({ user, agent: 'Yes.' })),
        { user: 'How much is that together?', agent: answer },
      ];
      expect(rules({ ...session(turns('You have $327.65.')), system: policy })).toEqual([]);
      expect(rules({ ...session(turns('You have $372.65.')), system: policy })).toEqual(['ungrounded-value@5']);
    });

    it('knows amounts that were named many turns ago', () => {
      const turns = (answer: string) => [
        { user: 'I have a voucher of $86.35.', steps: [order], agent: 'Noted.' },
        ...['Thanks.', 'And the weather?', 'I see.', 'Fine.'].map((user) => ({ user, agent: 'Yes.' })),
        { user: 'And shipping on top of it?', agent: answer },
      ];
      expect(rules({ ...session(turns('That is $98.35.')), system: policy })).toEqual([]);
      expect(rules({ ...session(turns('That is $89.35.')), system: policy })).toEqual(['ungrounded-value@5']);
    });

    it('adds up what a list of the answer has in one place', () => {
      const paid = { first: 900.5, second: 800.25, third: 700.1, fourth: 600.3 };
      const fare = { first: 111.2, second: 222.1, third: 333.4, fourth: 444.9 };
      const lines = Object.entries(paid).map(([name, price]) => {
        const now = fare[name as keyof typeof fare];
        return `- Leg ${name}: paid $${price}, now $${now}, saved $${(price - now).toFixed(2)}`;
      });
      const answer = (total: string) => `${lines.join('\n')}\nYou save ${total} in all.`;
      expect(asked(answer('$1,889.55'), { paid, fare })).toEqual([]);
      expect(asked(answer('$1,898.55'), { paid, fare })).toEqual(['ungrounded-value@0']);
    });

    it('subtracts what one column adds up to from another', () => {
      const answer = (total: string) =>
        `- Bottle: from $54.04 to $54.85\n- Keyboard: from $235.13 to $272.33\n- Shoes: from $147.05 to $158.67\nYou pay ${total} more.`;
      const result = prices(54.04, 54.85, 235.13, 272.33, 147.05, 158.67);
      expect(asked(answer('$49.63'), result)).toEqual([]);
      expect(asked(answer('$49.36'), result)).toEqual(['ungrounded-value@0']);
    });

    it('subtracts several new prices from what was paid', () => {
      const paid = { payment: 1969.22 };
      const found = prices(1902.67, 51.59, 77.1, 83.4);
      const answer = (difference: string) =>
        `The bicycle costs $1,902.67 and the puzzle $51.59. You get back ${difference}.`;
      expect(asked(answer('$14.96'), { paid, found })).toEqual([]);
      expect(asked(answer('$19.46'), { paid, found })).toEqual(['ungrounded-value@0']);
    });

    it('adds up the things of an order that the answer names', () => {
      const result = { order_id: 'W2002', items: prices(342.81, 20.11, 561.05, 33.17, 381.26) };
      const answer = (total: string) => `For PX-100, PX-300 and PX-500 of W2002 you get ${total}.`;
      expect(asked(answer('$1,285.12'), result)).toEqual([]);
      expect(asked(answer('$1,258.12'), result)).toEqual(['ungrounded-value@0']);
    });

    it('adds up two legs that belong together, however many others were found', () => {
      const legs = Array.from({ length: 30 }, (_, n) => [
        { seats: { economy: 9 }, prices: { economy: 400.5 + 3 * n } },
        { seats: { economy: 7 }, prices: { economy: 700.25 + 17 * n } },
      ]);
      const result = [...legs, [{ prices: { economy: 105.15 } }, { prices: { economy: 102.6 } }]];
      expect(asked('The cheapest one costs $207.75.', result)).toEqual([]);
      expect(asked('The cheapest one costs $270.75.', result)).toEqual(['ungrounded-value@0']);
    });

    it('adds up several of each thing', () => {
      const menu = prices(8.9, 2.55, 4.15);
      const answer = (total: string) => `2 pizzas ($8.90), 3 colas ($2.55 each) and a salad ($4.15): ${total} in all.`;
      expect(asked(answer('$29.60'), menu)).toEqual([]);
      expect(asked(answer('$26.90'), menu)).toEqual(['ungrounded-value@0']);
      const cart = { lines: [8.9, 2.55, 4.15].map((price, index) => ({ price, quantity: 2 + index })) };
      expect(asked('Your cart comes to $42.05.', cart)).toEqual([]);
      expect(asked('Your cart comes to $45.02.', cart)).toEqual(['ungrounded-value@0']);
    });

    it('multiplies a price by a quantity that the user named', () => {
      const result = { price: 8.23 };
      expect(asked('That makes $411.50.', result, 'I need 50 kg.')).toEqual([]);
      expect(asked('That makes $57.61.', result, 'I need one a day for a week.')).toEqual([]);
      expect(asked('That makes $411.50.', result, 'I need some.')).toEqual(['ungrounded-value@0']);
    });

    it('adds a period in words to a day that was seen', () => {
      const result = 'Due: 2026-03-03. Notice: three weeks.';
      expect(asked('You have time until March 24.', result)).toEqual([]);
      expect(asked('You have time until March 25.', result)).toEqual(['ungrounded-value@0']);
    });
  });

  const invented = 'Your refund is $389.99.';

  it('requires something to compare with', () => {
    expect(rules({ ...session([{ user: 'Hello', agent: invented }]), system: policy })).toEqual([]);
    const known = {
      ...session([{ user: 'Hello', agent: invented }]),
      system: policy,
      knowledge: ['Refunds are quick.'],
    };
    expect(rules(known)).toEqual(['ungrounded-value@0']);
    expect(rules(answering(invented, { steps: [retrieved('Refunds are quick.')] }))).toEqual(['ungrounded-value@0']);
  });

  it('reports near matches only when the instructions are unknown', () => {
    const { system: _, ...unknown } = answering(invented);
    expect(rules(unknown)).toEqual([]);
    const { system: __, ...similar } = answering('Your parcel costs you $320.09.');
    expect(rules(similar)).toEqual(['ungrounded-value@0']);
  });

  it.each([
    ['a call without a result', [order, pending('get_refund')]],
    ['a result that was cut', [ok('search', {}, `${'long '.repeat(60)}…`)]],
  ])('stops at %s', (_, steps) => {
    const later = { user: 'And now?', steps: [order], agent: invented };
    expect(rules({ ...session([{ user: 'Hi', steps, agent: invented }, later]), system: policy })).toEqual([]);
  });

  it('stops at a turn that was not recorded', () => {
    const turns = [
      { user: 'Hi', agent: null, captured: false as const },
      { user: 'And now?', steps: [order], agent: invented },
    ];
    expect(rules({ ...session(turns), system: policy })).toEqual([]);
  });

  it('skips coding agents', () => {
    const steps = [ok('bash', { command: 'ls' }, 'a.ts'), ok('edit_file', { ticket_id: 'W2017' }, 'done')];
    expect(rules(answering(invented, { steps }))).toEqual([]);
  });

  it('reports a value once, at its first occurrence', () => {
    const turns = [
      { user: 'Hi', steps: [order], agent: invented },
      { user: 'Sure?', agent: `Yes. ${invented}` },
    ];
    expect(rules({ ...session(turns), system: policy })).toEqual(['ungrounded-value@0']);
  });

  const amount = fc.integer({ min: 100_000, max: 999_999 }).filter((cents) => cents % 100 > 0 && cents % 10 > 0);
  const written = [
    (dollars: number) => `$${dollars.toFixed(2)}`,
    (dollars: number) => `USD ${dollars.toFixed(2)}`,
    (dollars: number) => `${Math.round(dollars * 100)} cents`,
    (dollars: number) => `{"amount": ${dollars}}`,
    (dollars: number) => `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2 })}`,
  ];

  it('accepts the value in any earlier result, in any format', () => {
    fc.assert(
      fc.property(amount, fc.constantFrom(...written), fc.boolean(), (cents, format, before) => {
        const answer = `Your credit is $${(cents / 100).toFixed(2)}.`;
        const step = ok('look_up', {}, format(cents / 100));
        const turns = before
          ? [
              { user: 'Hi', steps: [step], agent: 'One moment.' },
              { user: 'And?', steps: [order], agent: answer },
            ]
          : [{ user: 'Hi', steps: [order, step], agent: answer }];
        expect(rules({ ...session(turns), system: policy })).toEqual([]);
      }),
    );
  });

  it('is unaffected by later turns and by the names of tools', () => {
    const story = [
      { user: 'Hi', steps: [order], agent: 'Your parcel costs you $320.09 and the ticket is number BK-48213.' },
    ];
    const expected = ['ungrounded-value@0', 'ungrounded-value@0'];
    expect(rules({ ...session(story), system: policy })).toEqual(expected);
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('thanks', 'ok', 'bye'), (name, user) => {
        const renamed = story.map((turn) => ({ ...turn, steps: [{ ...order, name: `get_${name}` }] }));
        const longer = [...renamed, { user, agent: 'You are welcome!' }];
        expect(rules({ ...session(longer), system: policy })).toEqual(expected);
      }),
    );
  });
});

describe('misquoted-figure', () => {
  it('states both values, cites both locations, and is the only finding', () => {
    const all = grounding(answering('Your total is $425.10.'));
    expect(all).toMatchObject([
      {
        rule: 'misquoted-figure',
        message: 'The answer gives "$425.10" for `total`, but `get_order` returned "452.1".',
        evidence: [{ pointer: '/turns/0/output' }, { pointer: '/turns/0/steps/0/result' }],
      },
    ]);
  });

  it.each([
    ['the price of the thing that is named', 'The Backpack has a price of $320.09.'],
    ['a date far off', 'Order W2001 was delivered on July 19, 2026.'],
    ['a date off by one', 'Order W2001 was delivered: 2026-03-02.'],
    ['a time', 'Order W2001 has its departure at 15:50.'],
  ])('reports %s', (_, answer) => {
    expect(rules(answering(answer))).toEqual(['misquoted-figure@0']);
  });

  it('compares with the entity that the answer mentions', () => {
    const flights = [
      { flight_number: 'HAT170', departure: '15:05' },
      { flight_number: 'HAT171', departure: '18:20' },
    ];
    const steps = [ok('search_flights', {}, flights)];
    expect(grounding(answering('Flight HAT171 departs at 18:40.', { steps }))).toMatchObject([
      {
        rule: 'misquoted-figure',
        message: 'The answer gives "18:40" for `departure`, but `search_flights` returned "18:20".',
      },
    ]);
  });

  it('reads times around an escaped dash', () => {
    const steps = [ok('get_event', {}, { event: 'Review', time: '2:05 PM\\u20134:10 PM' })];
    expect(rules(answering('The review has its time at 2:05 PM\\u20134:10 PM.', { steps }))).toEqual([]);
    expect(rules(answering('The review is from 2:05 PM to 4:10 PM.', { steps }))).toEqual([]);
  });

  it('reports transposed digits even if the value could be calculated', () => {
    const user = 'What about W2001? I have a voucher of $27.';
    expect(rules(answering('Your total is $425.10.', { user }))).toEqual(['misquoted-figure@0']);
    expect(rules(answering('You still pay $425.10.', { user }))).toEqual([]);
  });

  it.each([
    ['the value of another thing', 'The Desk Lamp has a price of $302.09.'],
    ['a total of other things', 'With shipping the total is $464.10.'],
    ['the right value', 'Your total is 452.10 dollars.'],
  ])('ignores %s', (_, answer) => {
    expect(rules(answering(answer))).toEqual([]);
  });
});

describe('ungrounded-argument', () => {
  function calling(name: string, args: Readonly<Record<string, unknown>>, user = 'Please go ahead.'): Session {
    return answering('Done.', { steps: [order, ok(name, args)], user });
  }

  it('states the argument and cites the call', () => {
    const all = grounding(calling('refund_order', { order_id: 'W2001', payment_id: 'credit_card_5634230' }));
    expect(all).toMatchObject([
      {
        rule: 'ungrounded-argument',
        severity: 'medium',
        message:
          '`refund_order` was given `payment_id` "credit_card_5634230", which nothing before it had shown to the agent.',
        evidence: [{ pointer: '/turns/0/steps/1', note: 'the call' }],
        calls: ['/turns/0/steps/1'],
      },
    ]);
  });

  it('shows the closest amount, and reports a failed call with a lower severity', () => {
    const steps = [order, failed('refund_order', { order_id: 'W2001', amount: 4521 }, 'amount exceeds total')];
    const { system: _, ...unknown } = answering('That did not work.', { steps });
    expect(grounding(unknown)).toMatchObject([
      {
        severity: 'low',
        message:
          '`refund_order` was given `amount` "4521", which nothing before it had shown to the agent; `get_order` returned "452.1" as `total`.',
      },
    ]);
  });

  it.each([
    ['an order that nobody named', 'cancel_order', { order_id: 'W2017' }],
    ['an item', 'return_items', { item_ids: ['7453605304', '7453605399'] }],
    ['an e-mail address', 'send_invoice', { email: 'mia.li3818@example.com' }],
  ])('reports %s', (_, name, args) => {
    expect(rules(calling(name, args))).toEqual(['ungrounded-argument@0']);
  });

  it.each([
    ['what a result named', 'cancel_order', { order_id: '#w2001', item_id: 7453605304 }],
    ['what the user said', 'update_user', { user_id: 'mia_li_3668' }],
    ['a calculated amount', 'refund_order', { order_id: 'W2001', amount: 464.1 }],
    ['counts, flags and choices', 'update_order', { quantity: 25, express: true, size: 'XL2' }],
    ['the identifier of what is created', 'create_ticket', { ticket_id: 'T-20991', title: 'Lamp 4711 broken' }],
    ['free text', 'send_message', { body: 'Ref 99-123-A', note: 'REF12345', address: '159 Hickory Lane, Suite 995' }],
    ['a call that only reads', 'get_order', { order_id: 'W2017' }],
  ])('ignores %s', (_, name, args) => {
    expect(rules(calling(name, args, 'I am mia_li_3668, please go ahead.'))).toEqual([]);
  });

  it('accepts the value in any earlier text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000, max: 9_999_999 }), (number) => {
        const args = { order_id: `W${number}` };
        expect(rules(calling('cancel_order', args))).toEqual(['ungrounded-argument@0']);
        expect(rules(calling('cancel_order', args, `Cancel #w${number}.`))).toEqual([]);
      }),
    );
  });
});

const airline = sharedData('tau-bench/gpt-4o-airline.tasks13-24.json');

describe.skipIf(airline === null)('grounding of real sessions', () => {
  it('reports the card that no one mentioned, and accepts all figures of the answers', async () => {
    const { sessions } = await load([airline ?? ''], nodeFileSystem, { signal: new AbortController().signal });
    expect(sessions.flatMap((session) => grounding(session).map(({ message }) => `${session.id}: ${message}`))).toEqual(
      ['task-20-trial-1', 'task-20-trial-3'].map(
        (id) =>
          `${id}: \`update_reservation_flights\` was given \`payment_id\` "credit_card_5634230", which nothing before it had shown to the agent.`,
      ),
    );
  });
});
