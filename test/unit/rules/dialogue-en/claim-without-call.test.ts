import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { load } from '../../../../src/input/load.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { createRuleView } from '../../../../src/rules/rule-view.ts';
import { sharedData } from '../../../support/shared-data.ts';
import {
  evidencePointers,
  failed,
  findingIds,
  findingMessages,
  ok,
  onlyRule,
  pending,
  session,
  tool,
} from '../session-builder.ts';

const ALONE = onlyRule('claim-without-call');

type Turns = Parameters<typeof session>[0];
type Steps = Turns[number]['steps'] & object;

const look = ok('get_order', { order_id: 'A-1001' }, { status: 'shipped', total: 42.5 });
const input = { user: 'The lamp of A-1001 is broken.', steps: [look], agent: 'Shall I refund 42.50 EUR?' };
const CLAIM = 'I have refunded 42.50 EUR to your card.';

/** After the look-up and the offer. */
function answering(agent: string, turn: Partial<Turns[number]> = {}, before: Turns[number] = input) {
  return session([before, { user: 'Yes please.', agent, ...turn }]);
}

describe('claim-without-call', () => {
  it('quotes the claim, names the calls, and cites the answer', () => {
    const lied = answering(CLAIM);
    expect(findingIds(lied, ALONE)).toEqual(['claim-without-call@1']);
    expect(findingMessages(lied, ALONE)).toEqual([
      'The answer says "I have refunded 42.50 EUR to your card.", and nothing was called but `get_order`.',
    ]);
    expect(evidencePointers(lied, ALONE)).toEqual(['/turns/1/output']);
  });

  it('names the tools that were available for the action', () => {
    const tools = [tool('get_order'), tool('issue_refund'), tool('refund_gift_card'), tool('cancel_order')];
    const lied = session([{ user: 'Refund it.', agent: CLAIM }], tools);
    expect(findingMessages(lied, ALONE)).toEqual([
      'The answer says "I have refunded 42.50 EUR to your card.", and `issue_refund` and `refund_gift_card` were never called.',
    ]);
  });

  it.each([
    "I've just booked the flight.",
    'Done, I cancelled your order.',
    'All right. I have now sent you a confirmation.',
    'I have created a replacement order for you.',
    'Sure, I have transferred you to a human colleague.',
    'I have forwarded your complaint to the team.',
    'Your order has been refunded.',
    'The payment of 42.50 EUR has been successfully refunded.',
  ])('reads %j as a claim', (answer) => {
    expect(findingIds(answering(answer), ALONE)).toEqual(['claim-without-call@1']);
  });

  it.each([
    'I will refund 42.50 EUR to your card.',
    'Shall I say that I have refunded it?',
    'Once I have refunded it, you get an e-mail.',
    'Okay, I will finalize the order for one olive tree.',
    'I have checked your order.',
    'Earlier I told you. I have refunded the lamp last week.',
    'I have refunded the lamp, but the tent is a problem.',
    'I have sent you my best wishes.',
    'I have created a list of your orders.',
    'I have added up the prices of both orders below.',
    'I have sent the details above.',
    'I could not refund it, I have escalated nothing.',
    'As I said, I have already refunded it.',
    'The note says "I have refunded it".',
    'The flight I booked is fine.',
    'Your order has been shipped.',
    'Your order has been placed on May 3.',
    'Your order has been refunded by the bank.',
    'Subject: refund\nI have cancelled my order A-1001.',
    'Dear Sir, I have cancelled my order A-1001.\nKind regards',
    'Ich habe 42,50 EUR erstattet.',
    'ご返金の手続きにつきましては、ただいま確認しております。恐れ入りますが、今しばらくお待ちくださいませ。\nI have refunded it.',
  ])('does not read %j as a claim', (answer) => {
    expect(findingIds(answering(answer), ALONE)).toEqual([]);
  });

  it.each<[string, Steps]>([
    ['was done', [ok('refund_order')]],
    ['was done under a name of its own', [ok('create_refund')]],
    ['failed', [failed('refund_order', {}, 'declined')]],
    ['may have been done', [pending('refund_order')]],
    ['may have been done by a tool of unknown purpose', [ok('workflow_7')]],
    ['may be a side effect of another', [ok('cancel_order')]],
    ['may have been done by a sub-agent', [{ type: 'agent', name: 'cashier', turns: [] }]],
    [
      'may have been done by the user',
      [{ type: 'tool', name: 'press_button', arguments: {}, outcome: 'ok', requestedBy: 'user' }],
    ],
  ])('does not report when the action %s, in this turn or an earlier one', (_, steps) => {
    expect(findingIds(answering(CLAIM, { steps }), ALONE)).toEqual([]);
    expect(findingIds(answering(CLAIM, {}, { ...input, steps }), ALONE)).toEqual([]);
  });

  it('skips sessions that would not show the call', () => {
    expect(findingIds(session([{ user: 'Refund it.', agent: CLAIM }]), ALONE)).toEqual([]);
    expect(findingIds(session([{ user: 'Refund it.', agent: CLAIM }], [tool('get_order')]), ALONE)).toEqual([]);
    expect(findingIds(answering(CLAIM, {}, { ...input, captured: false }), ALONE)).toEqual([]);
    expect(findingIds({ ...answering(CLAIM), coding: true }, ALONE)).toEqual([]);
  });

  it('ignores notes and look-ups', () => {
    const steps = [ok('TodoWrite', { todos: ['refund'] }), ok('get_refund_policy')];
    expect(findingIds(answering(CLAIM, { steps }), ALONE)).toEqual(['claim-without-call@1']);
  });

  describe('for claims in the passive', () => {
    const STATE = 'Your order has been cancelled.';
    const told = (user: string, result: unknown = { status: 'shipped' }) =>
      findingIds(session([{ user, steps: [ok('get_order', {}, result)], agent: STATE }]), ALONE);

    it('reports an action that the user just asked for', () => {
      expect(told('Cancel the rest please.')).toEqual(['claim-without-call@0']);
      expect(told('Could you cancel it for me?')).toEqual(['claim-without-call@0']);
    });

    it.each([
      'Hello, A-1001.',
      'Was it cancelled?',
      'How do I cancel it?',
      'Tell me the status: did you cancel it?',
      'You have cancelled it, refund it.',
    ])('does not report after %j', (user) => {
      expect(told(user)).toEqual([]);
    });

    it('reports an action that the user agreed to, and no other', () => {
      const offered = { ...input, agent: 'Shall I cancel it?' };
      expect(findingIds(answering(STATE, { user: 'Yes please.' }, offered), ALONE)).toEqual(['claim-without-call@1']);
      expect(findingIds(answering(STATE, { user: 'Good morning.' }, offered), ALONE)).toEqual([]);
    });

    it('does not report an action that a result mentions', () => {
      expect(told('Cancel the rest please.', { status: 'CANCELED' })).toEqual([]);
      expect(told('Cancel the rest please.', '{"cancellation": "2026-03-01"}')).toEqual([]);
    });
  });

  describe('after another change', () => {
    const before = { ...input, user: 'Cancel it.', steps: [ok('cancel_order')], agent: 'It is done.' };

    it('reports claims in the first person', () => {
      const lied = answering('I have created a replacement order NO-58777 for the lamp.', {}, before);
      expect(findingMessages(lied, ALONE)).toEqual([
        'The answer says "I have created a replacement order NO-58777 for the lamp.", and nothing was called but `cancel_order`.',
      ]);
    });

    it.each<[string, string, Steps]>([
      ['what may come with it', 'I have sent you a confirmation.', []],
      ['what is about it', 'I have created a ticket for the cancellation.', []],
      ['what is not said of the agent', 'Your flight has been rebooked.', []],
      ['a turn that changes something itself', 'I have created a ticket.', [ok('cancel_order', { id: 2 })]],
    ])('does not report %s', (_, answer, steps) => {
      expect(findingIds(answering(answer, { steps }, before), ALONE)).toEqual([]);
    });
  });

  it('does not report after a change of unknown kind', () => {
    const toggled = { ...input, steps: [ok('toggle_assistance')] };
    expect(findingIds(answering('I have created a ticket for you.', {}, toggled), ALONE)).toEqual([]);
  });

  it('reports one action once', () => {
    const turns = [input, { user: 'Yes.', agent: CLAIM }, { user: 'Sure?', agent: `Yes, ${CLAIM}` }];
    expect(findingIds(session(turns), ALONE)).toEqual(['claim-without-call@1']);
  });

  it('is unaffected by harmless turns and by the names of look-ups', () => {
    const answers = fc.constantFrom(CLAIM, 'I will refund it.', 'Your order has been refunded.', 'Hello!');
    const lookUps = fc.constantFrom('get_order', 'findOrder', 'shop__lookup_order');
    fc.assert(
      fc.property(answers, lookUps, (agent, name) => {
        const first = { ...input, steps: [ok(name)] };
        const harmless = { user: 'Where are you?', steps: [ok(name)], agent: 'In Paris.' };
        const alone = findingIds(answering(agent, {}, first), ALONE);
        expect(alone).toEqual(findingIds(answering(agent), ALONE));
        const turns = [first, { user: 'Yes please.', agent }];
        expect(findingIds(session([...turns, harmless]), ALONE)).toEqual(alone);
        expect(findingIds(session([harmless, ...turns]), ALONE)).toEqual(alone.map(() => 'claim-without-call@2'));
      }),
    );
  });

  it('takes linear time for many claims and long results', () => {
    const turns = Array.from({ length: 20_000 }, (_, turn) => ({
      user: 'Cancel it.',
      steps: turn % 100 === 0 ? [ok('get_order', {}, 'x'.repeat(1000))] : [],
      agent: turn === 19_999 ? 'Your order has been cancelled.' : 'Your order has been cancelled by the shop.',
    }));
    const start = performance.now();
    expect(findingIds(session(turns), ALONE)).toEqual(['claim-without-call@19999']);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  const DATA = ['tau-bench', 'tau2-bench', 'agentrx-tau-retail', 'openai-chat', 'google-adk', 'pandaprobe'].flatMap(
    (folder) => sharedData(folder) ?? [],
  );
  const loaded = () => load(DATA, nodeFileSystem, { signal: new AbortController().signal });

  it.skipIf(DATA.length === 0)('reports nothing in real sessions (skips without the public data)', async () => {
    const { sessions } = await loaded();
    expect(sessions.length).toBeGreaterThan(150);
    expect(sessions.flatMap((session) => findingMessages(session, ALONE))).toEqual([]);
  });

  it.skipIf(DATA.length === 0)('reports removed calls in real sessions (skips without the public data)', async () => {
    const { sessions } = await loaded();
    const spoilt = sessions.flatMap((session) => {
      const taken = new Set(
        createRuleView(session).calls.flatMap(({ step, effect }) => (effect === 'reads' ? [] : step.pointer)),
      );
      const turns = session.turns.map((turn) => ({
        ...turn,
        steps: turn.steps.filter(({ pointer }) => !taken.has(pointer)),
      }));
      return taken.size > 0 && turns.some((turn) => agentToolCalls(turn).length > 0) ? [{ ...session, turns }] : [];
    });
    const speaking = spoilt.filter((item) => findingIds(item, ALONE).length > 0);
    expect(spoilt.length).toBeGreaterThan(100);
    expect(speaking.length).toBeGreaterThan(30);
  });
});
