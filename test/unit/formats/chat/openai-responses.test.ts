import { describe, expect, it } from 'vitest';
import { agentToolCalls, type ModelStep } from '../../../../src/core/session.ts';
import { openAiResponses } from '../../../../src/formats/chat/openai-responses.ts';
import { detect } from '../../../../src/formats/index.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const user = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] });
const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
  ...more,
});
const output = (id: string, value: unknown, more: object = {}) => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
  ...more,
});

const read1 = (...items: readonly unknown[]) => onlySession(openAiResponses.read(json(items)));
const onlyCall = (...items: readonly unknown[]) => callAt(turnAt(read1(user('go'), ...items), 0), 0);
const models = (...items: readonly unknown[]) =>
  turnAt(read1(user('go'), ...items), 0).steps.filter((step): step is ModelStep => step.type === 'model');

describe('an output', () => {
  it.each<[string, unknown, object, unknown, string, string]>([
    ['a text', 'x', {}, 'x', '/output', 'ok'],
    ['a part', { type: 'text', text: 'x' }, {}, 'x', '/output/text', 'ok'],
    [
      'parts',
      [
        { type: 'input_text', text: 'x' },
        { type: 'input_text', text: 'y' },
      ],
      {},
      'x\ny',
      '/output',
      'ok',
    ],
    ['wrapped', { content: 'x', success: true }, {}, 'x', '/output/content', 'ok'],
    ['wrapped, and failed', { content: 'x', success: false }, {}, 'x', '/output/content', 'error'],
    [
      'an image',
      { type: 'computer_screenshot', data: 'eA==' },
      {},
      { type: 'computer_screenshot', data: 'eA==' },
      '/output',
      'ok',
    ],
    ['nothing', null, {}, undefined, '', 'ok'],
    ['an error by its words', 'Error: no', {}, 'Error: no', '/output', 'error'],
    [
      'an error of the SDK',
      'An error occurred while running the tool. Please try again.',
      {},
      'An error occurred while running the tool. Please try again.',
      '/output',
      'error',
    ],
    [
      'arguments that the SDK cannot read',
      'An error occurred while parsing tool arguments.',
      {},
      'An error occurred while parsing tool arguments.',
      '/output',
      'error',
    ],
    ['a refusal', 'Tool execution was not approved.', {}, 'Tool execution was not approved.', '/output', 'rejected'],
    ['a failure by its status', 'x', { status: 'failed' }, 'x', '/output', 'error'],
  ])('is %s', (_, value, more, expected, pointer, outcome) => {
    const step = onlyCall(call('a'), output('a', value, more));
    expect([step.result, step.resultPointer, step.outcome]).toEqual([expected, `/2${pointer}`, outcome]);
  });

  it('without an id belongs to the open call', () => {
    expect(onlyCall(call('a'), { type: 'function_call_output', output: 'x' }).result).toBe('x');
  });

  it('has the id of its call in either case, and may name the tool', () => {
    expect(
      onlyCall(
        { type: 'function_call', callId: 'a', name: 'f', arguments: '{}' },
        { type: 'function_call_result', callId: 'a', name: 'f', output: 'x' },
      ).result,
    ).toBe('x');
  });

  it.each<[string, object, object, string]>([
    [
      'a shell',
      { type: 'shell_call', action: { commands: ['ls'] } },
      { type: 'shell_call_output', output: [{ stdout: 'x', outcome: { type: 'exit', exit_code: 0 } }] },
      'ok',
    ],
    [
      'a shell that failed',
      { type: 'shell_call', action: { commands: ['ls'] } },
      { type: 'shell_call_output', output: [{ stdout: '', outcome: { type: 'exit', exit_code: 2 } }] },
      'error',
    ],
    [
      'a shell that took too long',
      { type: 'shell_call', action: { commands: ['ls'] } },
      { type: 'shell_call_output', output: [{ outcome: { type: 'timeout' } }] },
      'error',
    ],
    [
      'a patch',
      { type: 'apply_patch_call', operation: { type: 'delete_file' } },
      { type: 'apply_patch_call_output', status: 'failed', output: 'x' },
      'error',
    ],
    [
      'a computer',
      { type: 'computer_call', action: { type: 'click' } },
      { type: 'computer_call_output', output: { type: 'computer_screenshot' } },
      'ok',
    ],
    [
      'a custom tool',
      { type: 'custom_tool_call', name: 'sql', input: 'select 1' },
      { type: 'custom_tool_call_output', output: '1' },
      'ok',
    ],
    [
      'a search for tools',
      { type: 'tool_search_call', execution: 'client', arguments: { goal: 'x' } },
      { type: 'tool_search_output', tools: [] },
      'ok',
    ],
  ])('of %s', (_, request, answer, outcome) => {
    expect(onlyCall({ ...request, call_id: 'a', status: 'completed' }, { ...answer, call_id: 'a' }).outcome).toBe(
      outcome,
    );
    expect(onlyCall({ ...request, call_id: 'a', status: 'completed' }).outcome).toBe('missing');
  });
});

describe('a tool of the provider', () => {
  it.each<[string, object, string, unknown, string, unknown, string]>([
    [
      'searched the web',
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
      'web_search',
      { type: 'search', query: 'x' },
      'ok',
      undefined,
      '/status',
    ],
    [
      'searched files',
      { type: 'file_search_call', status: 'completed', queries: ['x'], results: [{ text: 'y' }] },
      'file_search',
      { queries: ['x'] },
      'ok',
      [{ text: 'y' }],
      '/results',
    ],
    [
      'ran code',
      { type: 'code_interpreter_call', status: 'completed', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
      'code_interpreter',
      { code: '1+1' },
      'ok',
      [{ type: 'logs', logs: '2' }],
      '/outputs',
    ],
    [
      'called a server',
      { type: 'mcp_call', name: 'place_call', arguments: '{"a":1}', output: 'x', error: null },
      'place_call',
      { a: 1 },
      'ok',
      'x',
      '/output',
    ],
    [
      'could not call a server',
      { type: 'mcp_call', name: 'f', arguments: '{}', output: null, error: { message: 'down' } },
      'f',
      {},
      'error',
      { message: 'down' },
      '/error',
    ],
    ['failed', { type: 'web_search_call', status: 'failed' }, 'web_search', {}, 'error', undefined, ''],
    ['is at work', { type: 'web_search_call', status: 'in_progress' }, 'web_search', {}, 'missing', undefined, 'none'],
    [
      'as the Agents SDK writes it',
      { type: 'hosted_tool_call', name: 'web_search_call', arguments: '{"q":1}', status: 'completed', output: 'x' },
      'web_search',
      { q: 1 },
      'ok',
      'x',
      '/output',
    ],
    ['of next year', { type: 'memory_call', status: 'completed' }, 'memory', {}, 'ok', undefined, '/status'],
  ])('%s', (_, item, name, input, outcome, value, pointer) => {
    const session = read1(user('go'), { id: 'x', ...item }, message('done'));
    const step = callAt(turnAt(session, 0), 0);
    expect([step.name, step.arguments, step.outcome, step.result]).toEqual([name, input, outcome, value]);
    expect(step.resultPointer).toBe(pointer === 'none' ? undefined : `/1${pointer}`);
    expect(turnAt(session, 0).output).toBe('done');
  });

  const request = { type: 'mcp_approval_request', id: 'r', name: 'f', arguments: '{"a":1}', server_label: 's' };
  const answer = (approve: boolean) => ({
    type: 'mcp_approval_response',
    id: 'x',
    approval_request_id: 'r',
    approve,
    reason: 'no',
  });
  const executed = {
    type: 'mcp_call',
    id: 'm',
    name: 'f',
    arguments: '{"a":1}',
    approval_request_id: 'r',
    output: 'done',
  };

  it.each<[string, readonly object[], string, unknown]>([
    ['counts once when it was allowed', [answer(true), executed], 'ok', 'done'],
    ['was refused', [answer(false)], 'rejected', 'no'],
    ['waits', [], 'missing', undefined],
  ])('that needs approval %s', (_, after, outcome, value) => {
    const calls = agentToolCalls(turnAt(read1(user('go'), request, ...after, message('x')), 0));
    expect(calls.map((step) => [step.pointer, step.outcome, step.result])).toEqual([['/1', outcome, value]]);
  });

  it('approved elsewhere is a call of its own', () => {
    expect(onlyCall(executed)).toMatchObject({ pointer: '/1', outcome: 'ok', result: 'done' });
  });

  it('that searches for tools counts once', () => {
    const reading = openAiResponses.read(
      json([
        user('go'),
        { type: 'tool_search_call', id: 'a', call_id: null, execution: 'server', status: 'completed' },
        { type: 'tool_search_output', id: 'b', call_id: null, tools: [] },
        message('x'),
      ]),
    );
    expect(agentToolCalls(turnAt(onlySession(reading), 0)).map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(reading.problems).toEqual([]);
  });
});

describe('an answer', () => {
  it('has the thoughts, text and calls of one response', () => {
    const reasoning = { type: 'reasoning', id: 'r', summary: [{ text: 'a' }], content: [{ text: 'b' }] };
    expect(
      models(reasoning, message('x'), call('1'), call('2'), output('1', 'o'), output('2', 'o'), message('done')),
    ).toEqual([
      { type: 'model', pointer: '/1', text: 'x', reasoning: 'a\nb' },
      { type: 'model', pointer: '/7', text: 'done' },
    ]);
  });

  it('ends before the next text, and before an output', () => {
    expect(models(message('a'), message('b')).map(({ text }) => text)).toEqual(['a', 'b']);
    expect(models(call('1'), output('1', 'x'), call('2'), output('2', 'x'))).toHaveLength(2);
  });

  it('may be a refusal or only encrypted reasoning', () => {
    expect(
      turnAt(
        read1(user('go'), { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }),
        0,
      ).output,
    ).toBe('No.');
    expect(models({ type: 'reasoning', id: 'r', summary: [], encrypted_content: 'x' })).toEqual([]);
  });
});

it('unknown items are ignored, and unknown roles are reported', () => {
  const reading = openAiResponses.read(
    json([
      user('go'),
      { type: 'compaction', id: 'x' },
      { type: 'program', id: 'p' },
      { role: 'robot', content: 'x' },
      { type: 'function_call', call_id: 'a' },
      message('x'),
    ]),
  );
  expect(codes(reading)).toEqual(['warning not-an-item', 'warning call-without-name']);
  expect(turnAt(onlySession(reading), 0).output).toBe('x');
});

describe('requests and responses', () => {
  const response = (id: string, more: object = {}) => ({
    id,
    object: 'response',
    status: 'completed',
    output: [message(id)],
    ...more,
  });

  it('of a chain are one session, with the tokens, the model and the time of each', () => {
    const session = onlySession(read(fixture('openai-responses-chain.jsonl')));
    const steps = session.turns.flatMap(({ steps: all }) => all.filter((step) => step.type === 'model'));
    expect(steps).toHaveLength(7);
    expect(steps[1]).toMatchObject({
      model: 'gpt-5.1',
      finishReason: 'completed',
      usage: { inputTokens: 102, outputTokens: 20, cachedTokens: 50, reasoningTokens: 10 },
    });
    expect(session.turns[0]?.startedAt).toBe('2026-01-01T10:00:01.000Z');
    expect([session.id, session.system]).toEqual(['resp_1', 'You refund orders.']);
  });

  it('of one conversation are one session', () => {
    const records = [response('a', { conversation: { id: 'c' } }), response('b'), response('d', { conversation: 'c' })];
    const { sessions } = openAiResponses.read(json(records));
    expect(sessions.map(({ id, turns }) => [id, turns.map(({ output: text }) => text)])).toEqual([
      ['c', ['d']],
      ['b', ['b']],
    ]);
  });

  it('have the error or the reason of an incomplete response', () => {
    const failed = onlySession(
      openAiResponses.read(
        json({ object: 'response', status: 'failed', output: [], error: { message: 'down' }, input: 'hi' }),
      ),
    );
    expect(turnAt(failed, 0).steps).toMatchObject([{ type: 'model', error: 'down', finishReason: 'failed' }]);
    expect([turnAt(failed, 0).input, turnAt(failed, 0).inputPointer]).toEqual(['hi', '/input']);
    const cut = onlySession(
      openAiResponses.read(json(response('a', { incomplete_details: { reason: 'max_output_tokens' } }))),
    );
    expect(turnAt(cut, 0).steps).toMatchObject([{ finishReason: 'max_output_tokens' }]);
  });

  it('have repeated instructions once', () => {
    const records = [
      response('a', { instructions: 'x' }),
      response('b', { instructions: 'x', previous_response_id: 'a' }),
    ];
    expect(onlySession(openAiResponses.read(jsonLines(records))).system).toBe('x');
  });

  it.each<[string, unknown, unknown]>([
    ['functions', [{ type: 'function', name: 'f', parameters: {} }], [{ name: 'f', inputSchema: {} }]],
    [
      'tools of the provider',
      [{ type: 'web_search_preview' }, { type: 'computer_use_preview' }],
      [{ name: 'web_search' }, { name: 'computer' }],
    ],
    [
      'tools in a group',
      [{ type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'g' }] }],
      [{ name: 'g' }],
    ],
    [
      'the same twice',
      [
        { type: 'custom', name: 'f', description: 'x' },
        { type: 'function', name: 'f' },
      ],
      [{ name: 'f', description: 'x' }],
    ],
    ['none', [], []],
    ['nothing', undefined, undefined],
  ])('list %s', (_, tools, expected) => {
    expect(onlySession(openAiResponses.read(json(response('a', { tools })))).tools).toEqual(expected);
  });

  it('have MCP tools from an item or from their calls', () => {
    const items = [
      { type: 'mcp_list_tools', id: 'l', tools: [{ name: 'g', input_schema: {} }] },
      { type: 'mcp_call', id: 'm', name: 'h', output: 'x' },
    ];
    const session = onlySession(
      openAiResponses.read(json(response('a', { tools: [{ type: 'mcp', server_label: 's' }], output: items }))),
    );
    expect(session.tools).toEqual([{ name: 'g', inputSchema: {} }, { name: 'h' }]);
  });

  it.each<[string, unknown]>([
    ['items in an object', { items: [user('hi'), message('hello')] }],
    ['messages of items', { messages: [user('hi'), message('hello')] }],
    ['an input and an output', { input: [user('hi')], output: [message('hello')] }],
    ['lists of items', [[user('hi'), message('hello')]]],
  ])('may be %s', (_, value) => {
    expect(detect(json(value))?.format).toBe(openAiResponses);
    expect(turnAt(onlySession(openAiResponses.read(json(value))), 0)).toMatchObject({ input: 'hi', output: 'hello' });
  });

  it.each<[string, unknown]>([
    ['embeddings', { model: 'm', input: 'hi', dimensions: 3 }],
    ['chat messages', { model: 'm', tools: [], messages: [{ role: 'user', content: 'hi' }] }],
    ['an observation of Langfuse', { model: 'm', traceId: 'a', input: [user('hi')], output: [message('x')] }],
    ['responses of Anthropic', [{ type: 'message', role: 'assistant', content: 'x', stop_reason: 'end_turn' }]],
    ['messages with calls', [{ type: 'message', role: 'assistant', content: 'x', tool_calls: [] }]],
    ['calls of OpenAI’s chat messages', [{ type: 'tool_call', id: 'a', name: 'f' }]],
  ])('are not %s', (_, value) => {
    expect(openAiResponses.detect(json(value))).toBeNull();
  });

  it('that are invalid are skipped with a warning', () => {
    expect(codes(openAiResponses.read(json([response('a'), { b: 1 }])))).toEqual(['warning not-a-conversation']);
    expect(codes(openAiResponses.read(json({ b: 1 })))).toEqual(['warning not-a-conversation', 'error no-session']);
  });
});
