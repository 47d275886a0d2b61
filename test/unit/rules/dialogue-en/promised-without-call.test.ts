import { describe, expect, it } from 'vitest';
import {
  evidencePointers,
  failed,
  findingIds,
  findingMessages,
  ok,
  onlyRule,
  session,
  tool,
} from '../session-builder.ts';

const ALONE = onlyRule('promised-without-call');
const LOOK_UP = ok('get_order', { order_id: 'NO-58213' }, { status: 'delivered' });

function promised(
  agent: string,
  {
    user = 'Yes, please go ahead.',
    calls = [] as ReturnType<typeof ok>[],
    next = 'Thank you!',
    later = [] as ReturnType<typeof ok>[],
  } = {},
) {
  return session([
    {
      user: 'Hello, my order NO-58213 arrived broken and I want another one.',
      steps: [LOOK_UP],
      agent: 'I am sorry to hear that! Would you like me to do something about it?',
    },
    { user, steps: calls, agent },
    { user: next, steps: later, agent: 'Goodbye.' },
  ]);
}

const HANDOVER = 'This is beyond me. I will transfer you to a human agent who can help you further.';
const BOOKING = 'Thank you. I will now book a new appointment for you.';

describe('promised-without-call', () => {
  it('reports a handover that no call makes, and cites the answer', () => {
    expect(findingMessages(promised(HANDOVER), ALONE)).toEqual([
      'The answer says "I will transfer you to a human agent who can help you further.", and no call of the session hands it over.',
    ]);
    expect(evidencePointers(promised(HANDOVER), ALONE)).toEqual(['/turns/1/output']);
  });

  it('reports an action that the user had agreed to and no later call could have done', () => {
    expect(findingMessages(promised(BOOKING), ALONE)).toEqual([
      'The answer says "I will now book a new appointment for you.", and no call from then on could have done it.',
    ]);
  });

  it.each([
    'YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.',
    'I will need to escalate this issue to a specialist.',
    "I'm transferring you now.",
    'Let me connect you with our support team.',
  ])('reads "%s" as a handover', (answer) => {
    expect(findingIds(promised(answer, { user: 'What now?' }), ALONE)).toEqual(['promised-without-call@1']);
  });

  it.each([
    ['a condition', 'If you wish, I will transfer you to a human agent.'],
    ['an offer', 'I could help, or I will transfer you to a human agent.'],
    ['a question', 'I will transfer you to a human agent. Is that fine?'],
    ['a request to confirm', 'I will cancel the order NO-58213. Please confirm.'],
    ['money', 'I will transfer the balance to the savings account.'],
    ['a text in the answer', 'I will send the list of orders below.'],
    ['what others do', 'The team will transfer the order.'],
  ])('is silent about %s', (_, answer) => {
    expect(findingIds(promised(answer), ALONE)).toEqual([]);
  });

  it('is silent if the action was called, also before a handover or without success', () => {
    const handover = ok('transfer_to_human_agents', { summary: 'broken order' });
    expect(findingIds(promised(HANDOVER, { calls: [handover] }), ALONE)).toEqual([]);
    expect(findingIds(promised(HANDOVER, { later: [handover] }), ALONE)).toEqual([]);
    const booking = failed('book_appointment', { day: 'Monday' }, 'no free slot');
    expect(findingIds(promised(BOOKING, { calls: [booking] }), ALONE)).toEqual([]);
    expect(findingIds(promised(BOOKING, { later: [booking] }), ALONE)).toEqual([]);
    expect(findingIds(promised(BOOKING, { later: [ok('do_magic')] }), ALONE)).toEqual([]);
  });

  it('is silent about changes that a tool with another name may have made', () => {
    const answer = 'I will now update your order.';
    expect(findingIds(promised(answer), ALONE)).toEqual(['promised-without-call@1']);
    expect(findingIds(promised(answer, { calls: [ok('cancel_order', { order_id: 'NO-58213' })] }), ALONE)).toEqual([]);
  });

  it('is silent if the user had not agreed, or declines afterwards', () => {
    expect(findingIds(promised(BOOKING, { user: 'When could I come?' }), ALONE)).toEqual([]);
    expect(findingIds(promised(BOOKING, { next: 'No, wait.' }), ALONE)).toEqual([]);
    expect(findingIds(promised(HANDOVER, { next: "No, please don't." }), ALONE)).toEqual([]);
  });

  it('is silent if the trace may not show the call', () => {
    const { turns, ...rest } = promised(HANDOVER);
    const withoutCalls = turns.map((turn) => ({ ...turn, steps: [] }));
    expect(findingIds({ ...rest, turns: withoutCalls }, ALONE)).toEqual([]);
    expect(findingIds({ ...rest, turns: withoutCalls, tools: [tool('transfer_to_human')] }, ALONE)).toHaveLength(1);
    const unrecorded = turns.map((turn, i) => (i === 2 ? { ...turn, captured: false as const } : turn));
    expect(findingIds({ ...rest, turns: unrecorded }, ALONE)).toEqual([]);
  });

  it('reports each kind of action once', () => {
    const [first, second, third] = promised(HANDOVER).turns;
    if (!first || !second || !third) throw new Error('three turns');
    const again = { ...third, output: HANDOVER };
    expect(findingIds({ ...promised(HANDOVER), turns: [first, second, again] }, ALONE)).toEqual([
      'promised-without-call@1',
    ]);
  });
});
