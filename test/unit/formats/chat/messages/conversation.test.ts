import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentToolCalls, type Session } from '../../../../../src/core/session.ts';
import {
  type AgentMessage,
  buildConversation,
  type Message,
} from '../../../../../src/formats/chat/messages/conversation.ts';
import { openAiChat } from '../../../../../src/formats/chat/openai-chat.ts';
import { Problems } from '../../../../../src/formats/problems.ts';
import { callAt, codes, json, onlySession, turnAt } from '../../read-fixture.ts';

function chat(...messages: readonly unknown[]) {
  return openAiChat.read(json(messages, 'chat.json'));
}

const user = (content: unknown) => ({ role: 'user', content });
const agent = (content: unknown) => ({ role: 'assistant', content });
const system = (content: unknown) => ({ role: 'system', content });
const request = (...calls: readonly (readonly [id: string | undefined, name: string, given?: unknown])[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([id, name, input = '{}']) => ({ id, type: 'function', function: { name, arguments: input } })),
});
const result = (id: string | undefined, content: unknown, name?: string) => ({
  role: 'tool',
  tool_call_id: id,
  content,
  name,
});

function shape(session: Session) {
  return session.turns.map((turn) => [turn.input, turn.output]);
}

describe('turns of a conversation', () => {
  it.each<[string, unknown[], [string | null, string | null][]]>([
    ['one question and its answer', [user('a'), agent('b')], [['a', 'b']]],
    [
      'an agent that speaks first',
      [agent('hello'), user('a'), agent('b')],
      [
        [null, 'hello'],
        ['a', 'b'],
      ],
    ],
    ['two user messages in a row', [user('a'), user('b'), agent('c')], [['a\n\nb', 'c']]],
    ['two user messages around instructions', [user('a'), system('s'), user('b'), agent('c')], [['a\n\nb', 'c']]],
    ['an empty message before another', [user(''), user('b')], [['b', null]]],
    ['two agent messages in a row', [user('a'), agent('b'), agent('c')], [['a', 'c']]],
    [
      'an empty answer',
      [user('a'), agent(''), user('b'), agent('c')],
      [
        ['a', null],
        ['b', 'c'],
      ],
    ],
    ['blanks after an answer', [user('a'), agent('b'), agent(' \n')], [['a', 'b']]],
    [
      'a question without an answer',
      [user('a'), agent('b'), user('c')],
      [
        ['a', 'b'],
        ['c', null],
      ],
    ],
    ['an image without text', [user([{ type: 'image_url', image_url: { url: 'x' } }]), agent('b')], [['', 'b']]],
    [
      'text in parts',
      [
        user([
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ]),
        agent('c'),
      ],
      [['a\nb', 'c']],
    ],
    ['a refusal', [user('a'), { role: 'assistant', content: null, refusal: 'No.' }], [['a', 'No.']]],
    ['nothing but instructions', [system('s')], []],
    ['an agent that says nothing first', [agent(''), user('a')], [['a', null]]],
  ])('%s', (_, messages, expected) => {
    expect(shape(onlySession(chat(...messages)))).toEqual(expected);
  });

  it.each<[string, AgentMessage['answer'], string | null]>([
    ['what is not for another agent', undefined, 'b'],
    ['nothing of what is', null, null],
    ['the part that is for the user', { text: 'c', pointer: '/1/answer' }, 'c'],
  ])('have the output %s', (_, answer, output) => {
    const messages: Message[] = [
      { role: 'user', pointer: '/0', content: { text: 'a', pointer: '/0' } },
      { role: 'agent', pointer: '/1', content: { text: 'b', pointer: '/1' }, answer, calls: [] },
    ];
    const [turn] = buildConversation(messages, new Problems('x')).turns;
    expect([turn?.output, turn?.outputPointer]).toEqual([
      output,
      answer?.pointer ?? (output === null ? undefined : '/1'),
    ]);
    expect(turn?.steps).toMatchObject([{ type: 'model', text: 'b' }]);
  });

  it('exclude instructions, which are joined', () => {
    const session = onlySession(
      chat(system('a'), { role: 'developer', content: 'b' }, user('c'), system('d'), agent('e')),
    );
    expect(session.system).toBe('a\n\nb\n\nd');
    expect(session.turns).toHaveLength(1);
  });

  it('point to the first of joined messages, and to the only text of a list', () => {
    const [joined, listed] = onlySession(
      chat(user('a'), user('b'), agent('c'), user([{ type: 'text', text: 'd' }])),
    ).turns;
    expect([joined?.pointer, joined?.inputPointer, joined?.outputPointer]).toEqual(['/0', '/0/content', '/2/content']);
    expect([listed?.pointer, listed?.inputPointer]).toEqual(['/3', '/3/content/0/text']);
  });

  it('are numbered, with a model step for every answer', () => {
    const session = onlySession(
      chat(user('a'), { ...agent('b'), reasoning_content: 'hm', name: 'planner' }, request(['1', 'f']), user('c')),
    );
    expect(session.turns.map(({ id }) => id)).toEqual(['t1', 't2']);
    expect(turnAt(session, 0).steps.map(({ type, pointer }) => [type, pointer])).toEqual([
      ['model', '/1'],
      ['model', '/2'],
      ['tool', '/2/tool_calls/0'],
    ]);
    expect(turnAt(session, 0).steps[0]).toMatchObject({ text: 'b', reasoning: 'hm', speaker: 'planner' });
  });

  it("follow the file's own division if there is one", () => {
    const problems = new Problems('x');
    const messages: Message[] = [
      { role: 'user', pointer: '/0', content: { text: 'a', pointer: '/0' }, turn: 'i1', at: '2026-01-01T00:00:00Z' },
      { role: 'user', pointer: '/1', content: { text: 'b', pointer: '/1' }, turn: 'i2', at: '2026-01-01T00:00:01Z' },
      {
        role: 'agent',
        pointer: '/2',
        content: { text: 'c', pointer: '/2' },
        calls: [],
        turn: 'i2',
        at: '2026-01-01T00:00:05Z',
      },
      { role: 'agent', pointer: '/3', content: { text: 'd', pointer: '/3' }, calls: [], turn: 'i3' },
      { role: 'user', pointer: '/4', content: { text: 'e', pointer: '/4' }, turn: 'i3' },
    ];
    const { turns } = buildConversation(messages, problems);
    expect(turns.map(({ id, input, output }) => [id, input, output])).toEqual([
      ['i1', 'a', null],
      ['i2', 'b', 'c'],
      ['i3', null, 'd'],
      ['t4', 'e', null],
    ]);
    expect([turns[1]?.startedAt, turns[1]?.endedAt]).toEqual(['2026-01-01T00:00:01Z', '2026-01-01T00:00:05Z']);
  });

  it('end at the latest recorded end, which a later message without one does not set back', () => {
    const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
    const turnOf = (...times: readonly { readonly at: string; readonly endedAt?: string }[]) => {
      const user: Message = { role: 'user', pointer: '/0', content: { text: 'a', pointer: '/0' }, at: at(0) };
      const answers = times.map(
        (time): Message => ({ role: 'agent', pointer: '/1', content: null, calls: [], ...time }),
      );
      return buildConversation([user, ...answers], new Problems('x')).turns[0];
    };
    expect(turnOf({ at: at(1), endedAt: at(4) }, { at: at(0) })?.endedAt).toBe(at(4));
    expect(turnOf({ at: at(1), endedAt: at(4) }, { at: at(6) })?.endedAt).toBe(at(6));
    expect(turnOf({ at: at(3) }, { at: at(2) })?.endedAt).toBe(at(2));
  });
});

describe('calls and results', () => {
  function paired(...messages: readonly unknown[]) {
    const reading = chat(user('go'), ...messages);
    const calls = onlySession(reading).turns.flatMap(agentToolCalls);
    return { calls: calls.map((call) => [call.name, call.result, call.outcome]), codes: codes(reading) };
  }

  it.each<[string, unknown[], unknown[]]>([
    [
      'are matched by id, in any order',
      [request(['1', 'f'], ['2', 'g']), result('2', 'y'), result('1', 'x')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'are matched by order when ids are missing',
      [request([undefined, 'f'], [undefined, 'f']), result(undefined, 'x'), result(undefined, 'y')],
      [
        ['f', 'x', 'ok'],
        ['f', 'y', 'ok'],
      ],
    ],
    [
      'are matched by name before order',
      [request([undefined, 'f'], [undefined, 'g']), result(undefined, 'y', 'g'), result(undefined, 'x', 'f')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'are matched by order when only the result has an id',
      [request([undefined, 'f'], [undefined, 'g']), result('1', 'x'), result('2', 'y')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'are matched by order when only the call has an id',
      [request(['1', 'f'], ['2', 'g']), result(undefined, 'x'), result('2', 'y')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'are matched by order when an id is reused in a message',
      [request(['1', 'f'], ['1', 'g']), result('1', 'x'), result('1', 'y')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'are matched by order when an id is reused later',
      [request(['1', 'f']), result('1', 'x'), request(['1', 'g']), result('1', 'y')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'ignore an empty id',
      [request(['', 'f'], ['', 'g']), result('', 'x'), result('', 'y')],
      [
        ['f', 'x', 'ok'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'may be numbers',
      [
        { ...agent(null), tool_calls: [{ id: 7, function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 7, content: 'x' },
      ],
      [['f', 'x', 'ok']],
    ],
    [
      'leave a call without a result missing',
      [request(['1', 'f'], ['2', 'g']), result('2', 'y')],
      [
        ['f', undefined, 'missing'],
        ['g', 'y', 'ok'],
      ],
    ],
    [
      'keep a pending call of the previous turn when its id is reused',
      [request(['1', 'f']), user('again'), request(['1', 'g']), result('1', 'y')],
      [
        ['f', undefined, 'missing'],
        ['g', 'y', 'ok'],
      ],
    ],
    ['find a result that comes a turn late', [request(['1', 'f']), user('and?'), result('1', 'x')], [['f', 'x', 'ok']]],
    [
      'know that a result without text was still one',
      [request(['1', 'f']), result('1', null)],
      [['f', undefined, 'ok']],
    ],
  ])('%s', (_, messages, expected) => {
    expect(paired(...messages)).toEqual({ calls: expected, codes: [] });
  });

  it('are not matched across turns without ids', () => {
    expect(
      paired(request([undefined, 'f']), user('again'), request([undefined, 'f']), result(undefined, 'x')).calls,
    ).toEqual([
      ['f', undefined, 'missing'],
      ['f', 'x', 'ok'],
    ]);
  });

  it.each([
    ['no call at all', [result('1', 'x')]],
    ['a call that has its result', [request(['1', 'f']), result('1', 'x'), result('1', 'y')]],
  ])('skip, with a warning, a result that matches %s', (_, messages) => {
    expect(paired(...messages).codes).toEqual(['warning result-without-call']);
  });

  it('skip, with a warning, a call without a tool name', () => {
    const reading = chat(user('go'), { ...agent(null), tool_calls: [{ id: '1' }, null, { function: { name: '' } }] });
    expect(onlySession(reading).turns.flatMap(agentToolCalls)).toEqual([]);
    expect(codes(reading)).toEqual(Array(3).fill('warning call-without-name'));
  });

  it('point to the request and to the result', () => {
    const call = callAt(turnAt(onlySession(chat(user('go'), request(['1', 'f']), result('1', 'x'))), 0), 0);
    expect([call.pointer, call.resultPointer]).toEqual(['/1/tool_calls/0', '/2/content']);
  });

  it('recognize an error by its content', () => {
    const call = callAt(
      turnAt(onlySession(chat(user('go'), request(['1', 'f']), result('1', 'Error: no such order'))), 0),
      0,
    );
    expect([call.outcome, call.error, call.result]).toEqual(['error', 'Error: no such order', 'Error: no such order']);
  });

  it.each([
    ['no', 'no'],
    [{ code: 5 }, '{"code":5}'],
    [null, undefined],
    [undefined, undefined],
  ])('follow the error flag, whatever the content (%j)', (value, error) => {
    const messages: Message[] = [
      { role: 'agent', pointer: '', content: null, calls: [{ pointer: '', id: '1', name: 'f', arguments: {} }] },
      { role: 'result', pointer: '', call: '1', value, valuePointer: '', outcome: 'error' },
    ];
    const [turn] = buildConversation(messages, new Problems('x')).turns;
    expect(turn && agentToolCalls(turn)).toMatchObject([{ outcome: 'error', error }]);
  });

  it('read custom tools, bare calls and the legacy form', () => {
    const session = onlySession(
      chat(
        user('go'),
        {
          ...agent(null),
          tool_calls: [
            { id: '1', type: 'custom', custom: { name: 'sql', input: 'select 1' } },
            { id: '2', name: 'f', arguments: { a: 1 } },
          ],
        },
        { ...agent(null), function_call: { name: 'g', arguments: '{"b": 2}' } },
        { role: 'function', name: 'g', content: 'x' },
      ),
    );
    expect(
      agentToolCalls(turnAt(session, 0)).map(({ name, arguments: args, pointer }) => [name, args, pointer]),
    ).toEqual([
      ['sql', 'select 1', '/1/tool_calls/0'],
      ['f', { a: 1 }, '/1/tool_calls/1'],
      ['g', { b: 2 }, '/2/function_call'],
    ]);
    expect(callAt(turnAt(session, 0), 2).result).toBe('x');
  });

  it('match like an exhaustive search, with any ids', () => {
    const id = fc.constantFrom('1', '2', '', undefined);
    const name = fc.constantFrom('f', 'g');
    const event = fc.oneof(
      fc.record({ kind: fc.constant('call' as const), id, name }),
      fc.record({ kind: fc.constant('result' as const), id, name: fc.option(name, { nil: undefined }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const messages = events.map((event, index) =>
          event.kind === 'call' ? request([event.id, event.name]) : result(event.id, `r${index}`, event.name),
        );
        const calls: { id: string | undefined; name: string; result: string | undefined }[] = [];
        for (const [index, item] of events.entries()) {
          if (item.kind === 'call') {
            calls.push({ id: item.id, name: item.name, result: undefined });
            continue;
          }
          const open = calls.filter((call) => call.result === undefined);
          const result = item.id
            ? (open.find((call) => call.id === item.id) ?? open.find((call) => !call.id))
            : (open.find((call) => call.name === item.name) ?? open[0]);
          if (result) result.result = `r${index}`;
        }
        const read = onlySession(chat(user('go'), ...messages)).turns.flatMap(agentToolCalls);
        expect(read.map((call) => call.result)).toEqual(calls.map((call) => call.result));
      }),
    );
  });

  it('are matched in linear time', () => {
    const repeat = (message: unknown) => Array.from({ length: 100_000 }, () => message);
    const messages = [
      user('go'),
      ...repeat(request(['same', 'f'])),
      ...repeat(result('same', 'x')),
      ...repeat(request([undefined, 'g'])),
      ...repeat(result(undefined, 'x', 'g')),
    ];
    const started = performance.now();
    const calls = onlySession(openAiChat.read(json(messages))).turns.flatMap(agentToolCalls);
    expect(calls.every(({ outcome }) => outcome === 'ok')).toBe(true);
    // A search through all open calls for every result would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('other participants', () => {
  const read = (...messages: readonly Message[]) => buildConversation(messages, new Problems('a.json')).turns;
  const says = (text: string, calls: readonly string[] = []): Message => ({
    role: 'user',
    pointer: '/0',
    content: text === '' ? null : { text, pointer: '/0/content' },
    calls: calls.map((name) => ({ pointer: `/0/${name}`, id: name, name, arguments: {} })),
  });
  const gives = (call: string): Message => ({ role: 'result', pointer: '/1', call, value: call, valuePointer: '/1' });
  const answers: AgentMessage = { role: 'agent', pointer: '/2', content: { text: 'b', pointer: '/2' }, calls: [] };

  it('have the calls of a simulated user before its text, in the same turn', () => {
    const turns = read(says('', ['look']), gives('look'), says('a', ['press']), gives('press'), says('c'), answers);
    expect(turns).toHaveLength(1);
    expect(turns[0]).toMatchObject({ input: 'a\n\nc', output: 'b' });
    expect(turns[0]?.steps.map((step) => (step.type === 'tool' ? [step.requestedBy, step.result] : step.type))).toEqual(
      [['user', 'look'], ['user', 'press'], 'model'],
    );
    expect(turns.flatMap(agentToolCalls)).toEqual([]);
  });

  it("have the user's calls after an answer in another turn", () => {
    const turns = read(says('a'), answers, says('', ['look']), gives('look'), says('c'), answers);
    expect(turns.map(({ input, steps }) => [input, steps.length])).toEqual([
      ['a', 1],
      ['c', 2],
    ]);
  });

  it('have an error from a separate error message', () => {
    const asks: AgentMessage = { ...answers, calls: [{ pointer: '/3', id: 'f', name: 'f', arguments: {} }] };
    const failed: Message = {
      role: 'result',
      pointer: '/1',
      call: 'f',
      value: 'part of it',
      valuePointer: '/1',
      error: 'too long',
    };
    expect(read(says('a'), asks, failed).flatMap(agentToolCalls)).toMatchObject([
      { outcome: 'error', error: 'too long', result: 'part of it' },
    ]);
  });

  it('have the turns of a sub-agent in a step', () => {
    const inner = read(says('sub'), answers);
    const turns = read(says('a'), { role: 'sub-agent', pointer: '/5', name: 'helper', turns: inner }, says('c'));
    expect(turns.map(({ steps }) => steps)).toEqual([
      [{ type: 'agent', pointer: '/5', name: 'helper', turns: inner }],
      [],
    ]);
  });
});
