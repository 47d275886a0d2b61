import { describe, expect, it } from 'vitest';
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

const HELLO = { user: 'Hi', agent: 'Hello, how can I help?' };

describe('no-answer', () => {
  it('reports a message without an answer, and cites it', () => {
    const cut = session([HELLO, { user: 'Where is order\nA-1001?', steps: [ok('get_order')], agent: null }]);
    expect(findingIds(cut)).toEqual(['no-answer@1']);
    expect(findingMessages(cut)).toEqual(['The turn ends without an answer to "Where is order A-1001?"']);
    expect(evidencePointers(cut)).toEqual(['/turns/1/input']);
  });

  it('reports a message in the middle of the session, and a blank answer', () => {
    expect(findingIds(session([HELLO, { user: 'Thanks', agent: ' \n' }, HELLO]))).toEqual(['no-answer@1']);
  });

  it('accepts a message that a program sends again after each tool result', () => {
    const working = { user: 'Where is A-1001?', steps: [ok('get_order')], agent: null };
    const answered = { ...working, agent: 'It has shipped.' };
    expect(findingIds(session([working, working, answered]), onlyRule('no-answer'))).toEqual([]);
    expect(findingIds(session([working, working]), onlyRule('no-answer'))).toEqual(['no-answer@1']);
  });

  it('leaves the last turn of a run that was stopped to stopped-early', () => {
    const cut = session([HELLO, { user: 'Where is A-1001?', steps: [ok('get_order')], agent: null }]);
    const ending = { cause: 'limit', reason: 'max_steps' } as const;
    expect(findingIds({ ...cut, ending })).toEqual(['stopped-early@1']);
    expect(findingIds({ ...cut, ending: { cause: 'regular', reason: 'user_stop' } })).toEqual(['no-answer@1']);
  });

  it('reports a message that the user repeats because nothing happens', () => {
    const ignored = { user: 'Where is A-1001?', agent: null };
    expect(findingIds(session([ignored, { ...ignored, agent: 'It has shipped.' }]))).toEqual(['no-answer@0']);
  });

  it('states that the model call failed', () => {
    const model = { type: 'model', error: '503 Service Unavailable' } as const;
    const broken = session([HELLO, { user: 'Where is A-1001?', steps: [model], agent: null }]);
    expect(findingMessages(broken)).toEqual([
      'The turn ends without an answer to "Where is A-1001?"; the model call had failed.',
    ]);
    expect(evidencePointers(broken)).toEqual(['/turns/1/input', '/turns/1/steps/0']);
  });

  it.each([
    ['###STOP###'],
    ["Thank you so much for your help. That's all I need! ###STOP###"],
    ['Thanks!'],
    ['Ok, thank you very much for your help. Bye!'],
    ['No, that’s all. Have a great day!'],
    ['You too!'],
    ['Danke'],
    ['好的，谢谢你的帮助'],
    ['  '],
  ])('accepts %j as the last message', (user) => {
    expect(findingIds(session([HELLO, { user, agent: null }]))).toEqual([]);
  });

  it.each([
    ["I'll gather those details from my emails and provide them shortly. Thank you!"],
    ['Let me check with my wife. I will get back to you.'],
  ])('accepts %j as the last message of a user who leaves', (user) => {
    expect(findingIds(session([HELLO, { user, agent: null }]))).toEqual([]);
    // Where the agent worked on it, or the user waits for something, an answer is due.
    expect(findingIds(session([HELLO, { user, steps: [ok('get_order')], agent: null }]))).toEqual(['no-answer@1']);
    expect(findingIds(session([HELLO, { user: `${user} Please cancel it meanwhile.`, agent: null }]))).toEqual([
      'no-answer@1',
    ]);
  });

  it('accepts a trace that ends with an open call', () => {
    const model = { type: 'model', text: 'Let me look.' } as const;
    const ending = (...steps: NonNullable<Parameters<typeof session>[0][number]['steps']>) =>
      findingIds(session([HELLO, { user: 'Run the tests', steps, agent: null }]), onlyRule('no-answer'));
    expect(ending(pending('shell_command'), pending('apply_patch'))).toEqual([]);
    expect(ending(pending('shell_command'), ok('apply_patch'))).toEqual([]);
    expect(ending(ok('shell_command'), ok('apply_patch'))).toEqual(['no-answer@1']);
    expect(ending(pending('shell_command'), model, ok('apply_patch'))).toEqual(['no-answer@1']);
  });

  it.each([['Thanks, but where is it?'], ['No, cancel it.'], ['ok # 5']])('does not read %j as a goodbye', (user) => {
    expect(findingIds(session([HELLO, { user, agent: null }]))).toEqual(['no-answer@1']);
  });

  it.each([
    ['content that was not recorded', { user: 'Where?', agent: null, captured: false as const }],
    ['a hand-over', { user: 'Where?', steps: [ok('transfer_to_human_agents')], agent: null }],
    ['a final answer given by a tool', { user: 'Where?', steps: [pending('submit_answer')], agent: null }],
    [
      'a sub-agent that spoke',
      { user: 'Where?', steps: [{ type: 'agent', name: 'sub', turns: [] } as const], agent: null },
    ],
    [
      'a user who goes on to act',
      { user: 'I will restart it.', steps: [{ ...ok('restart'), requestedBy: 'user' as const }], agent: null },
    ],
    ['no message', { user: null, agent: null }],
  ])('does not report %s', (_, turn) => {
    expect(findingIds(session([HELLO, turn]))).toEqual([]);
  });

  it('does not report a list of questions, or agent text that follows in a turn of its own', () => {
    expect(
      findingIds(
        session([
          { user: 'One?', agent: null },
          { user: 'Two?', agent: null },
        ]),
      ),
    ).toEqual([]);
    expect(
      findingIds(
        session([
          { user: 'One?', agent: null },
          { user: null, agent: 'Yes.' },
        ]),
      ),
    ).toEqual([]);
  });
});

describe('no-answer, with an empty last message', () => {
  const announced = { type: 'model', text: 'Let me check that.' } as const;
  const empty = { type: 'model', text: ' ', finishReason: 'end_turn' } as const;

  function ending(...steps: NonNullable<Parameters<typeof session>[0][number]['steps']>) {
    return session([HELLO, { user: 'Where is A-1001?', steps, agent: announced.text }]);
  }

  it('reports an announcement without a result', () => {
    const broken = ending(announced, ok('get_order'), empty);
    expect(findingIds(broken)).toEqual(['no-answer@1']);
    expect(findingMessages(broken)).toEqual([
      `The agent's last message is empty: after "Let me check that.", no answer to "Where is A-1001?" came.`,
    ]);
    expect(evidencePointers(broken)).toEqual(['/turns/1/input', '/turns/1/output', '/turns/1/steps/2']);
  });

  it.each([
    [{ ...empty, error: '503' }, 'the model call had failed'],
    [{ ...empty, finishReason: 'max_tokens' }, 'the model had reached its limit'],
  ] as const)('states the reason for %j', (last, why) => {
    const broken = ending(announced, ok('get_order'), last);
    expect(findingMessages(broken)[0]).toBe(
      `The agent's last message is empty (${why}): after "Let me check that.", no answer to "Where is A-1001?" came.`,
    );
    expect(evidencePointers(broken)).toEqual(['/turns/1/input', '/turns/1/output', '/turns/1/steps/2']);
    expect(findingMessages(session([HELLO, { user: 'Where is A-1001?', steps: [last], agent: null }]))).toEqual([
      `The turn ends without an answer to "Where is A-1001?"; ${why}.`,
    ]);
  });

  it.each([
    ['a call comes last', ending(announced, ok('get_order'))],
    ['the message requests a call', ending(announced, empty, ok('get_order'))],
    ['it hands over', ending(announced, ok('transfer_to_human_agents'), empty)],
    [
      'what was said before answers',
      session([
        HELLO,
        { user: 'Where is A-1001?', steps: [ok('get_order'), empty], agent: 'Let me check. It is in Berlin.' },
      ]),
    ],
    [
      'what was said before is a courtesy',
      session([HELLO, { user: 'Where is A-1001?', steps: [empty], agent: 'In Berlin. Let me know if I can help.' }]),
    ],
  ])('does not report when %s', (_, of) => {
    expect(findingIds(of)).toEqual([]);
  });
});

describe('call-without-result', () => {
  const look = pending('get_order', { order_id: 'A-1001' });

  it('reports a call whose result the agent did not wait for', () => {
    const lost = session([{ user: 'Where is A-1001?', steps: [look, ok('get_route')], agent: 'On its way.' }]);
    expect(findingIds(lost)).toEqual(['call-without-result@0']);
    expect(findingMessages(lost)).toEqual([
      '`get_order` was called with `order_id` "A-1001" in turn 1, and no result of it is in the trace.',
    ]);
    expect(evidencePointers(lost)).toEqual(['/turns/0/steps/0']);
  });

  it.each([
    [
      'a trace that records no results',
      session([{ user: 'Where?', steps: [look, pending('get_route')], agent: 'Near.' }]),
    ],
    ['a trace that ends with it', session([{ user: 'Thanks', steps: [ok('get_route'), look], agent: null }])],
    [
      'a hand-over',
      session([{ user: 'Where?', steps: [ok('get_route'), pending('transfer_to_human')], agent: 'Bye.' }]),
    ],
    [
      'content that was not recorded',
      session([{ user: 'Where?', steps: [ok('get_route'), look], agent: 'Near.', captured: false }]),
    ],
    [
      'a failed call',
      session([{ user: 'Where?', steps: [failed('get_order', {}, 'no')], agent: 'I could not look.' }]),
    ],
  ])('does not report %s', (_, of) => {
    expect(findingIds(of)).toEqual([]);
  });

  it('leaves unknown tools to their own rule', () => {
    const turn = { user: 'Where?', steps: [ok('get_route'), look], agent: 'Near.' };
    expect(findingIds(session([turn], [tool('get_route')]))).toEqual(['unknown-tool@0']);
  });
});
