import { describe, expect, it } from 'vitest';
import { agentToolCalls, type ModelStep } from '../../../../src/core/session.ts';
import { anthropicMessages } from '../../../../src/formats/chat/anthropic-messages.ts';
import { detect } from '../../../../src/formats/index.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const text = (content: string) => ({ type: 'text', text: content });
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'look', input });
const result = (id: string, more: object) => user([{ type: 'tool_result', tool_use_id: id, ...more }]);

const read1 = (...messages: readonly unknown[]) => onlySession(anthropicMessages.read(json(messages)));

describe('a result', () => {
  it.each<[string, object, unknown, string, string, string | undefined]>([
    ['a text', { content: 'x' }, 'x', '/2/content/0/content', 'ok', undefined],
    ['a block', { content: [text('x')] }, 'x', '/2/content/0/content/0/text', 'ok', undefined],
    ['blocks', { content: [text('x'), text('y')] }, 'x\ny', '/2/content/0/content', 'ok', undefined],
    [
      'an image',
      { content: [text('x'), { type: 'image', source: {} }] },
      [text('x'), { type: 'image', source: {} }],
      '/2/content/0/content',
      'ok',
      undefined,
    ],
    ['nothing', {}, undefined, '/2/content/0', 'ok', undefined],
    ['an error', { content: 'no', is_error: true }, 'no', '/2/content/0/content', 'error', 'no'],
    [
      'an error in blocks',
      { content: [text('no')], is_error: true },
      'no',
      '/2/content/0/content/0/text',
      'error',
      'no',
    ],
    ['an error without a flag', { content: 'Error: no' }, 'Error: no', '/2/content/0/content', 'error', 'Error: no'],
    [
      'what only looks like one',
      { content: 'Error: no', is_error: false },
      'Error: no',
      '/2/content/0/content',
      'ok',
      undefined,
    ],
    [
      'a refusal of the user',
      { content: "The user doesn't want to take this action right now. STOP", is_error: true },
      "The user doesn't want to take this action right now. STOP",
      '/2/content/0/content',
      'rejected',
      undefined,
    ],
  ])('is %s', (_, more, value, pointer, outcome, error) => {
    const turn = turnAt(read1(user('go'), assistant(use('a')), result('a', more)), 0);
    const call = callAt(turn, 0);
    expect([call.result, call.resultPointer, call.outcome, call.error]).toEqual([value, pointer, outcome, error]);
    expect(turn.input).toBe('go');
  });

  it('starts no turn, but a user text beside it does', () => {
    const session = read1(
      user('go'),
      assistant(use('a'), use('b')),
      user([
        { type: 'tool_result', tool_use_id: 'b', content: 'y' },
        { type: 'tool_result', tool_use_id: 'a', content: 'x' },
        text('stop'),
      ]),
      assistant(text('ok')),
    );
    expect(session.turns.map(({ input, output }) => [input, output])).toEqual([
      ['go', null],
      ['stop', 'ok'],
    ]);
    expect(agentToolCalls(turnAt(session, 0)).map((call) => call.result)).toEqual(['x', 'y']);
  });
});

describe("results of the provider's tools", () => {
  it.each<[string, string, string, object, string]>([
    ['a search', 'server_tool_use', 'web_search_tool_result', { content: [{ type: 'web_search_result' }] }, 'ok'],
    [
      'a failed search',
      'server_tool_use',
      'web_search_tool_result',
      { content: { type: 'web_search_tool_result_error', error_code: 'too_many_requests' } },
      'error',
    ],
    [
      'code',
      'server_tool_use',
      'code_execution_tool_result',
      { content: { type: 'code_execution_result', return_code: 0 } },
      'ok',
    ],
    [
      'code that failed',
      'server_tool_use',
      'bash_code_execution_tool_result',
      { content: { type: 'x', return_code: 1 } },
      'error',
    ],
    ['another server', 'mcp_tool_use', 'mcp_tool_result', { is_error: false, content: [text('x')] }, 'ok'],
    [
      'another server that failed',
      'mcp_tool_use',
      'mcp_tool_result',
      { is_error: true, content: [text('x')] },
      'error',
    ],
  ])('%s', (_, call, type, more, outcome) => {
    const session = read1(
      user('go'),
      assistant({ type: call, id: 'a', name: 'f', input: { q: 1 } }, { type, tool_use_id: 'a', ...more }, text('done')),
    );
    const [step] = agentToolCalls(turnAt(session, 0));
    expect([step?.name, step?.arguments, step?.outcome, turnAt(session, 0).output]).toEqual([
      'f',
      { q: 1 },
      outcome,
      'done',
    ]);
  });
});

it("a model's message has thoughts, model, finish reason and tokens, with cached ones in the input", () => {
  const message = {
    ...assistant(
      { type: 'thinking', thinking: 'a' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'thinking', thinking: 'b' },
      text('c'),
    ),
    model: 'claude-opus-4-5',
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 3000,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
    },
  };
  const [step] = turnAt(read1(user('go'), message), 0).steps;
  expect(step).toEqual({
    type: 'model',
    pointer: '/1',
    text: 'c',
    reasoning: 'a\nb',
    model: 'claude-opus-4-5',
    finishReason: 'end_turn',
    usage: { inputTokens: 3210, outputTokens: 20, cachedTokens: 3000, reasoningTokens: 30 },
  } satisfies ModelStep);
});

it('unnamed calls and invalid messages are skipped with a warning', () => {
  const reading = anthropicMessages.read(
    json([user('go'), assistant({ type: 'tool_use', id: 'a' }, text('x')), { role: 'robot' }, 5]),
  );
  expect(codes(reading)).toEqual(['warning call-without-name', 'warning not-a-message', 'warning not-a-message']);
  expect(agentToolCalls(turnAt(onlySession(reading), 0))).toEqual([]);
});

describe("Claude Code's own user messages", () => {
  it('start no turn', () => {
    const session = read1(
      user('<command-name>/clear</command-name>'),
      user([text('<system-reminder>x</system-reminder>'), text('go')]),
      assistant(use('a')),
      result('a', { content: 'x' }),
      user('[Request interrupted by user]'),
      assistant(text('done')),
    );
    expect(session.turns.map(({ input, output }) => [input, output])).toEqual([['go', 'done']]);
  });
});

describe('a request', () => {
  const messages = [user('go'), assistant(use('a'))];

  it.each<[string, unknown, string | undefined]>([
    ['a text', 'Be brief.', 'Be brief.'],
    ['blocks', [text('Be'), text('brief.')], 'Be\nbrief.'],
    ['none', undefined, undefined],
  ])('has %s as instructions', (_, system, expected) => {
    expect(onlySession(anthropicMessages.read(json({ system, messages }))).system).toBe(expected);
  });

  it("of plain texts is read as OpenAI's, with its instructions and tools", () => {
    const body = {
      system: [text('Be brief.')],
      max_tokens: 9,
      tools: [{ name: 'look', input_schema: {} }],
      messages: [user('hi')],
    };
    const session = onlySession(read(json(body)));
    expect([session.source.format, session.system, session.tools]).toEqual([
      'openai-chat',
      'Be brief.',
      [{ name: 'look', inputSchema: {} }],
    ]);
  });

  it('may have instructions in its messages', () => {
    expect(read1({ role: 'system', content: 'Be brief.' }, ...messages).system).toBe('Be brief.');
  });

  it('has its tools and called tools of MCP servers', () => {
    const tools = [
      { name: 'look', input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web_search' },
    ];
    const called = assistant({ type: 'mcp_tool_use', id: 'm', name: 'policy', server_name: 's', input: {} });
    const session = onlySession(anthropicMessages.read(json({ tools, messages: [...messages, called, called] })));
    expect(session.tools).toEqual([
      { name: 'look', inputSchema: { type: 'object' } },
      { name: 'web_search' },
      { name: 'policy' },
    ]);
    expect(onlySession(anthropicMessages.read(json({ messages: [...messages, called] }))).tools).toBeUndefined();
  });
});

describe('a response', () => {
  const response = (id: string) => ({
    id,
    type: 'message',
    stop_reason: 'end_turn',
    model: 'm',
    ...assistant(text(id)),
  });

  it('has an agent message only', () => {
    const session = onlySession(read(fixture('anthropic-response.json')));
    expect([session.id, session.turns.map(({ input, output }) => [input, output])]).toEqual([
      'msg_01',
      [[null, 'I look it up.']],
    ]);
    expect(agentToolCalls(turnAt(session, 0)).map(({ name, outcome, pointer }) => [name, outcome, pointer])).toEqual([
      ['web_search', 'ok', '/content/1'],
      ['get_policy', 'error', '/content/3'],
      ['get_order', 'missing', '/content/5'],
    ]);
  });

  it.each([
    ['lines', jsonLines([response('a'), response('b')])],
    ['a list', json([response('a'), response('b')])],
  ])('is a session for each of %s', (_, document) => {
    expect(detect(document)?.format).toBe(anthropicMessages);
    expect(anthropicMessages.read(document).sessions.map(({ id, turns }) => [id, turns.length])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('is part of a conversation with user messages', () => {
    const document = json([user('1'), response('a'), user('2'), response('b')]);
    expect(onlySession(read(document)).turns.map(({ input, output }) => [input, output])).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
  });
});

describe('invalid messages', () => {
  it.each<[string, unknown]>([
    ['plain texts, which are OpenAI’s too', [user('hi'), { role: 'assistant', content: 'hello' }]],
    ['blocks of another dialect', [user([text('hi')]), assistant(use('a')), user([{ type: 'input_text', text: 'x' }])]],
    ['LangChain’s', [{ type: 'ai', content: [use('a')], tool_calls: [] }]],
    ['OpenAI’s with calls beside the blocks', [{ role: 'assistant', content: [use('a')], tool_calls: [] }]],
    ['thoughts in parts', [{ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text' }] }] }]],
    ['an item of Responses', [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }]],
    ['no session', []],
  ])('%s', (_, messages) => {
    expect(anthropicMessages.detect(json(messages))).toBeNull();
  });

  it('give no session', () => {
    expect(codes(anthropicMessages.read(json({ a: 1 })))).toEqual(['error no-session']);
  });
});
