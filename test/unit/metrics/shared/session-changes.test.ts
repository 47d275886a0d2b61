import { describe, expect, it } from 'vitest';
import type { Session, Step, Tool } from '../../../../src/core/session.ts';
import { sessionChanges, sessionFingerprint } from '../../../../src/metrics/shared/session-changes.ts';
import { failedToolCall, sessionWithSteps, toolCall } from '../calls.ts';

const keysOf = (...steps: readonly Step[]) =>
  (sessionChanges(sessionWithSteps(steps)).changes ?? []).map(({ key }) => key);

const UUIDS = ['3f2b8c1e-9d47-4a6b-8e21-5c0f7d9a1b34', '77a0c9d2-1e5f-4b83-9c66-0d2e4f8a6b15'] as const;

describe('the changes of a session', () => {
  it('are its successful calls that change state, each once, with their locations', () => {
    const call = toolCall('cancel_order', { order_id: 'A-1' });
    const read = toolCall('get_order', { order_id: 'A-1' });
    const refused = toolCall('cancel_order', { order_id: 'A-3' }, { outcome: 'rejected' });
    const { changes } = sessionChanges(sessionWithSteps([read, call, failedToolCall('cancel_order'), refused], [call]));
    expect(changes).toEqual([
      {
        key: expect.stringMatching(/^.{16}$/),
        tool: '`cancel_order`',
        arguments: [{ key: expect.any(String), text: '`order_id` "A-1"' }],
        turn: 0,
        pointer: '/turns/0/steps/1',
      },
    ]);
  });

  it('leave out a hand-over to a person', () => {
    expect(
      keysOf(toolCall('escalate_to_human', { summary: 'refund' }), toolCall('create_handover_to_human_agent')),
    ).toEqual([]);
  });

  it.each([
    ['the order of arguments', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['letter case and spaces', { name: ' Ann  Lee' }, { name: 'ann lee' }],
    ['numbers in quotes', { amount: 5 }, { amount: '5.0' }],
    ['an empty argument', { id: 'A-1', note: '' }, { id: 'A-1', note: null }],
    ['the order of a list', { ids: ['1', '2'] }, { ids: ['2', '1'] }],
    [
      'the wording of longer texts',
      { id: 'A-1', note: 'the customer does not need the lamp any more' },
      { id: 'A-1', note: 'cancelled since the customer changed his mind about it' },
    ],
  ])('are the same for %s', (_, one, other) => {
    expect(keysOf(toolCall('update_order', one))).toEqual(keysOf(toolCall('update_order', other)));
  });

  it.each([
    ['other values', { id: 'A-1' }, { id: 'A-2' }],
    ['a code with a leading zero', { code: '0123' }, { code: '123' }],
    ['lists that belong together', { from: ['1', '2'], to: ['3', '4'] }, { from: ['1', '2'], to: ['4', '3'] }],
  ])('are different for %s', (_, one, other) => {
    expect(keysOf(toolCall('update_order', one))).not.toEqual(keysOf(toolCall('update_order', other)));
  });

  it('are the same for ids that the agent generates', () => {
    const [one, other] = UUIDS.map((id) => keysOf(toolCall('refund_order', { order_id: 'A-1', idempotency_key: id })));
    expect(one).toEqual(other);
  });

  it('are the same for ids that an earlier change returned', () => {
    const [one, other] = ['ord_51', 'ord_87'].map((id) =>
      keysOf(toolCall('create_order', { item: 'lamp' }, { result: { id } }), toolCall('pay_order', { order_id: id })),
    );
    expect(one).toHaveLength(2);
    expect(one).toEqual(other);
  });

  it('are different for ids that a look-up returned, also random ones', () => {
    const result = { orders: [...UUIDS] };
    const [one, other] = UUIDS.map((id) =>
      keysOf(toolCall('list_orders', {}, { result }), toolCall('cancel_order', { order_id: id })),
    );
    expect(one).not.toEqual(other);
  });

  it('are different for an id that was known before a change returned it', () => {
    const [one, other] = ['ord_51', 'ord_87'].map((id) =>
      keysOf(
        toolCall('list_orders', {}, { result: ['ord_51', 'ord_87'] }),
        toolCall('update_order', { name: 'lamp' }, { result: { id } }),
        toolCall('cancel_order', { order_id: id }),
      ),
    );
    expect(one).not.toEqual(other);
  });

  it('leave out and count calls whose effect is unknown', () => {
    const session = sessionWithSteps([toolCall('frobnicate', { id: 1 }), toolCall('cancel_order', { id: 2 })]);
    expect(sessionChanges(session)).toMatchObject({ changes: [{ turn: 0 }], unknownCalls: 1 });
    expect(sessionChanges(session, (name) => name === 'frobnicate')).toMatchObject({ changes: [{}, {}] });
    const tools: Tool[] = [{ name: 'frobnicate', changesState: true }];
    expect(sessionChanges({ ...session, tools })).toMatchObject({ changes: [{}, {}] });
    expect(sessionChanges(session, () => true)).not.toHaveProperty('unknownCalls');
  });

  it('are at most 100, and still differ where the hundred-and-first does', () => {
    const many = (last: number) =>
      keysOf(...Array.from({ length: 120 }, (_, i) => toolCall('cancel_order', { id: `A-${i === 119 ? last : i}` })));
    expect(many(119)).toHaveLength(100);
    expect(many(119)).toEqual(many(119));
    expect(many(119)).not.toEqual(many(500));
  });

  it('are compared where arguments are nested deeply or large', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    expect(
      keysOf(toolCall('update_order', { deep }), toolCall('update_order', { ids: Array(50_000).fill('x') })),
    ).toHaveLength(2);
  });

  it('say that a session ended early', () => {
    const missing = toolCall('cancel_order', {}, { outcome: 'missing' });
    expect(sessionChanges(sessionWithSteps([missing]))).toMatchObject({ endedEarly: true });
    const failed: Step = { type: 'model', pointer: '', error: 'rate limit' };
    expect(sessionChanges(sessionWithSteps([failed]))).toMatchObject({ endedEarly: true });
    expect(sessionChanges(sessionWithSteps([missing, toolCall('get_order')]))).not.toHaveProperty('endedEarly');
    const read = sessionWithSteps([toolCall('get_order')]);
    expect(sessionChanges({ ...read, ending: { cause: 'limit', reason: 'max_steps' } })).toMatchObject({
      endedEarly: true,
    });
    const regular = { ...sessionWithSteps([missing]), ending: { cause: 'regular', reason: 'user_stop' } } as const;
    expect(sessionChanges(regular)).not.toHaveProperty('endedEarly');
  });
});

describe('the fingerprint of a session', () => {
  const session: Session = { ...sessionWithSteps([toolCall('cancel_order')]), task: { id: '7' } };

  it('is the same wherever it is read from', () => {
    const copy: Session = { ...session, id: 'other', source: { ...session.source, file: 'copy.json' } };
    expect(sessionFingerprint(copy)).toBe(sessionFingerprint(session));
  });

  it('is another for another trial, another text, another time and another call', () => {
    const [turn] = session.turns;
    const others: readonly Session[] = [
      { ...session, task: { id: '7', trial: '1' } },
      ...(turn
        ? [{ output: 'Done.' }, { startedAt: '2026-01-01T00:00:00Z' }, { steps: [toolCall('get_order')] }]
        : []
      ).map((part): Session => ({ ...session, turns: session.turns.map((own) => ({ ...own, ...part })) })),
    ];
    const fingerprints = [session, ...others].map(sessionFingerprint);
    expect(new Set(fingerprints).size).toBe(5);
  });
});
