import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../../src/formats/chat/messages/conversation.ts';
import { detectDialect, parseChat, parseQuotedJson } from '../../../../../src/formats/chat/messages/dialects.ts';
import { Problems } from '../../../../../src/formats/problems.ts';
import { resolve } from '../../read-fixture.ts';

const user = { role: 'user', content: 'hi' };
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
const agent = { role: 'assistant', content: 'hello', tool_calls: [call] };
const result = { role: 'tool', tool_call_id: 'c1', content: 'done' };

function readAll(value: unknown) {
  const problems = new Problems('some.json');
  const chat = parseChat({ value }.value, '/value', problems);
  for (const message of chat?.messages ?? []) for (const pointer of pointersOf(message)) resolve({ value }, pointer);
  for (const { pointer } of problems.list()) resolve({ value }, pointer ?? '');
  return { chat, problems: problems.list() };
}

function pointersOf(message: Message): string[] {
  switch (message.role) {
    case 'agent':
      return [
        message.pointer,
        ...message.calls.map(({ pointer }) => pointer),
        ...(message.content ? [message.content.pointer] : []),
      ];
    case 'result':
      return [message.pointer, message.valuePointer];
    case 'sub-agent':
      return [message.pointer];
    default:
      return [message.pointer, ...(message.content ? [message.content.pointer] : [])];
  }
}

const texts = (value: unknown) =>
  readAll(value).chat?.messages.map((message) => [
    message.role,
    message.role === 'result' ? message.value : message.role === 'sub-agent' ? null : (message.content?.text ?? null),
  ]);

describe('messages are found', () => {
  it.each<[string, unknown, string]>([
    ['in a list', [user, agent], '/value/0/content'],
    ['in a list of one list', [[user, agent]], '/value/0/0/content'],
    ['in a request', { model: 'm', messages: [user, agent] }, '/value/messages/0/content'],
    ['in the arguments of a function', { args: [], kwargs: { messages: [user] } }, '/value/kwargs/messages/0/content'],
    ['by themselves', user, '/value/content'],
    ['in a choice of a response', { choices: [{ index: 0, message: user }] }, '/value/choices/0/message/content'],
    ['in an event', { index: 0, message: user, 'event.name': 'gen_ai.choice' }, '/value/message/content'],
    [
      'in the generations of LangChain',
      { generations: [[{ text: '', message: { type: 'human', content: 'hi' } }]] },
      '/value/generations/0/0/message/content',
    ],
    [
      'in what an agent of ADK is sent',
      { user_id: 'u', new_message: { role: 'user', parts: [{ text: 'hi' }] } },
      '/value/new_message/parts/0/text',
    ],
    ['in JSON', JSON.stringify([user, agent]), '/value'],
    ['in JSON of JSON', JSON.stringify(JSON.stringify({ messages: [user] })), '/value'],
    ['in JSON in a request', { input: JSON.stringify([user]) }, '/value/input'],
  ])('%s', (_, value, pointer) => {
    const { chat, problems } = readAll(value);
    expect(chat?.messages[0]).toMatchObject({ role: 'user', content: { text: 'hi', pointer } });
    expect(problems).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a text', 'hi'],
    ['a text that looks like JSON', '{"messages": [{'],
    ['a number', 5],
    ['nothing', null],
    ['an empty list', []],
    ['other objects', [{ id: 1 }, { id: 2 }]],
    ['an object around a text', { content: 'hi' }],
    ['a list of tools', [{ type: 'function', function: { name: 'f', parameters: {} } }]],
    ['a list in which something else is than calls', [call, { id: 'c2' }]],
    ['a list of requests', [{ messages: [user] }, { messages: [user] }]],
  ])('but not in %s', (_, value) => {
    expect(readAll(value)).toEqual({ chat: null, problems: [] });
  });

  it('down to a few levels only', () => {
    const nested = (depth: number): unknown => (depth === 0 ? [user] : { message: nested(depth - 1) });
    expect([4, 6].map((depth) => readAll(nested(depth)).chat === null)).toEqual([false, true]);
  });

  it('by the form of most of the first 200 entries', () => {
    const log = Array.from({ length: 200 }, () => ({ level: 'info' }));
    expect(detectDialect([...log, user, agent])).toBeNull();
    expect(detectDialect([...log.slice(0, 150), ...Array.from({ length: 150 }, () => user)])?.name).toBeUndefined();
    expect(detectDialect([user, undefined, agent, { level: 'info' }])?.name).toBe('openai-chat');
  });
});

describe('data next to messages', () => {
  it.each<[string, object, string]>([
    ['system', { system: 'Be brief.' }, '/value/system'],
    ['parts of it', { system: [{ type: 'text', text: 'Be brief.' }] }, '/value/system'],
    ['instructions', { instructions: 'Be brief.' }, '/value/instructions'],
    [
      'a configuration of Gemini',
      { config: { system_instruction: { parts: [{ text: 'Be brief.' }] } } },
      '/value/config/system_instruction',
    ],
  ])('%s', (_, more, pointer) => {
    expect(readAll({ messages: [user], ...more }).chat?.messages[0]).toEqual({
      role: 'system',
      pointer,
      content: { text: 'Be brief.', pointer },
    });
  });

  it('has the location of the string if instructions are in a string', () => {
    const [system] = readAll(JSON.stringify({ messages: [user], system: 'Be brief.' })).chat?.messages ?? [];
    expect(system).toMatchObject({ role: 'system', pointer: '/value', content: { pointer: '/value' } });
  });

  it.each<[string, object]>([
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['tools of Gemini', { config: { tools: [{ function_declarations: [{ name: 'f' }] }] } }],
    ['tools as JSON', { tools: ['{"type":"function","name":"f"}'] }],
  ])('%s', (_, more) => {
    expect(readAll({ messages: [user], ...more }).chat?.tools).toEqual([{ name: 'f' }]);
    expect(readAll([user]).chat?.tools).toBeUndefined();
  });

  it('does not include tool definitions among the messages', () => {
    const value = [user, agent, result, { role: 'tool', content: { type: 'function', function: { name: 'f' } } }];
    expect(texts(value)).toEqual([
      ['user', 'hi'],
      ['agent', 'hello'],
      ['result', 'done'],
    ]);
    expect(readAll(value)).toMatchObject({ chat: { tools: [{ name: 'f' }] }, problems: [] });
  });
});

describe('a list of calls is read as an answer', () => {
  it.each<[string, unknown, string]>([
    ['of OpenAI', [call], '/value/0'],
    ['of the AI SDK', [{ toolCallId: 'c1', toolName: 'f', input: '{"a":1}' }], '/value/0'],
    ['as JSON', JSON.stringify([{ toolCallId: 'c1', toolName: 'f', args: { a: 1 } }]), '/value'],
  ])('%s', (_, value, pointer) => {
    expect(readAll(value).chat).toMatchObject({
      dialect: 'call-list',
      messages: [
        {
          role: 'agent',
          pointer: '/value',
          content: null,
          calls: [{ id: 'c1', name: 'f', arguments: { a: 1 }, pointer }],
        },
      ],
    });
  });
});

describe('pointers of problems', () => {
  it('lead to the message', () => {
    expect(readAll({ messages: [user, 5, agent] }).problems).toMatchObject([
      { code: 'not-a-message', pointer: '/value/messages/1' },
    ]);
  });

  it('lead to the string that contains it', () => {
    expect(readAll({ messages: JSON.stringify([user, 5, agent]) }).problems).toMatchObject([
      { code: 'not-a-message', pointer: '/value/messages' },
    ]);
  });
});

it.each<[unknown, unknown]>([
  ['plain', 'plain'],
  ['"quoted"', 'quoted'],
  [JSON.stringify(JSON.stringify([1])), [1]],
  ['{broken', '{broken'],
  [' [1]', [1]],
  ['12', '12'],
  [5, 5],
])('%j without its quotes is %j', (value, inner) => {
  expect(parseQuotedJson(value)).toEqual(inner);
});
