import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { langChain } from '../../../../src/formats/chat/langchain.ts';
import { detect } from '../../../../src/formats/index.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const human = { type: 'human', content: 'hi' };
const ai = { type: 'ai', content: 'hello' };
const only = (...messages: readonly unknown[]) => turnAt(onlySession(langChain.read(json({ messages }))), 0);

describe('a message', () => {
  it.each<[string, unknown, string]>([
    ['plain', human, '/messages/0/content'],
    ['of a chunk', { type: 'HumanMessageChunk', content: 'hi' }, '/messages/0/content'],
    ['stored', { type: 'human', data: { content: 'hi' } }, '/messages/0/data/content'],
    [
      'as a constructor',
      { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content: 'hi' } },
      '/messages/0/kwargs/content',
    ],
    ['with a role', { role: 'user', additional_kwargs: {}, content: 'hi' }, '/messages/0/content'],
    ['of any role', { type: 'chat', role: 'user', response_metadata: {}, content: 'hi' }, '/messages/0/content'],
    ['as a pair', ['human', 'hi'], '/messages/0/1'],
    ['of blocks', { type: 'human', content: [{ type: 'text', text: 'hi' }] }, '/messages/0/content/0/text'],
    ['of texts', { type: 'human', content: ['hi'] }, '/messages/0/content/0'],
  ])('%s', (_, message, pointer) => {
    expect(detect(json({ messages: [message, ai] }))?.format).toBe(langChain);
    const turn = only(message, ai);
    expect([turn.input, turn.inputPointer, turn.output]).toEqual(['hi', pointer, 'hello']);
  });

  it.each<[string, unknown]>([
    ['of another kind', { type: 'TextMessage', content: 'hi' }],
    ['of a class that is none', { lc: 1, type: 'constructor', id: ['ChatOpenAI'], kwargs: { model: 'x' } }],
    ['without content', { type: 'ai' }],
    ['with a table as content', { type: 'human', content: { a: 1 } }],
    ['a pair of words', ['x', 'y']],
  ])('%s is not a message', (_, message) => {
    expect(langChain.detect(json([message]))).toBeNull();
    expect(codes(langChain.read(json([human, message, ai])))).toEqual(['warning not-a-message']);
  });

  it('a system message alone may be a line of any log', () => {
    expect(langChain.detect(json([{ type: 'system', content: 'started' }]))).toBeNull();
  });

  it('that removes another one is ignored', () => {
    const reading = langChain.read(json([human, ai, { type: 'remove', id: 'a', content: 'gone' }, ai]));
    expect([onlySession(reading).turns.length, reading.problems]).toEqual([1, []]);
  });

  it('of a model has its model, finish reason, tokens, thoughts and author', () => {
    const [step] = only(human, {
      type: 'ai',
      name: 'supervisor',
      content: [
        { type: 'thinking', thinking: 'a' },
        { type: 'reasoning', summary: [{ text: 'b' }] },
        { type: 'reasoning_content', reasoning_content: { text: 'c' } },
        { type: 'text', text: 'hello' },
      ],
      response_metadata: { model_name: 'gpt-4o', finish_reason: 'stop' },
      usage_metadata: {
        input_tokens: 10,
        output_tokens: 7,
        input_token_details: { cache_read: 4 },
        output_token_details: { reasoning: 2 },
      },
    }).steps;
    expect(step).toMatchObject({
      text: 'hello',
      reasoning: 'a\nb\nc',
      model: 'gpt-4o',
      finishReason: 'stop',
      speaker: 'supervisor',
      usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 4, reasoningTokens: 2 },
    });
  });

  it("has the provider's tokens if LangChain has none", () => {
    const [step] = only(human, {
      ...ai,
      response_metadata: {
        model: 'm',
        stop_reason: 'end_turn',
        token_usage: { prompt_tokens: 1, completion_tokens: 2 },
      },
    }).steps;
    expect(step).toMatchObject({ model: 'm', finishReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 2 } });
  });
});

describe('a tool call', () => {
  const call = { name: 'f', args: { a: 1 }, id: 'c1', type: 'tool_call' };
  const sent = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };

  it.each<[string, object, string]>([
    ['of LangChain', { tool_calls: [call] }, '/messages/1/tool_calls/0'],
    [
      'of the provider',
      { tool_calls: [], additional_kwargs: { tool_calls: [sent] } },
      '/messages/1/additional_kwargs/tool_calls/0',
    ],
    ['in blocks', { content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }] }, '/messages/1/content/0'],
    [
      'in all three, which counts once',
      {
        tool_calls: [call],
        additional_kwargs: { tool_calls: [sent] },
        content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }],
      },
      '/messages/1/tool_calls/0',
    ],
    [
      'in the legacy form, which has no id',
      { additional_kwargs: { function_call: sent.function } },
      '/messages/1/additional_kwargs/function_call',
    ],
  ])('%s', (_, more, pointer) => {
    const turn = only(human, { ...ai, ...more }, { type: 'tool', tool_call_id: 'c1', content: 'done' });
    expect(agentToolCalls(turn)).toHaveLength(1);
    expect(callAt(turn, 0)).toMatchObject({ name: 'f', arguments: { a: 1 }, pointer, outcome: 'ok', result: 'done' });
  });

  it('with invalid arguments was not executed', () => {
    const turn = only(human, {
      ...ai,
      tool_calls: [call],
      invalid_tool_calls: [{ name: 'g', args: '{"a": ', id: 'c2', error: 'not JSON', type: 'invalid_tool_call' }],
      additional_kwargs: { tool_calls: [sent, { ...sent, id: 'c2', function: { name: 'g', arguments: '{"a": ' } }] },
    });
    expect(agentToolCalls(turn).map(({ name, arguments: args, outcome }) => [name, args, outcome])).toEqual([
      ['f', { a: 1 }, 'missing'],
      ['g', '{"a": ', 'missing'],
    ]);
  });

  it("with invalid arguments may be in LangChain's list only", () => {
    const invalid = { name: 'g', args: '{"a": ', id: 'c2', error: null, type: 'invalid_tool_call' };
    const turn = only(human, { ...ai, tool_calls: [], invalid_tool_calls: [invalid, { ...invalid, name: null }] });
    expect(agentToolCalls(turn)).toMatchObject([{ id: 'c2', name: 'g', arguments: '{"a": ', outcome: 'missing' }]);
  });

  it.each<[string, object, string, string | undefined]>([
    ['flagged', { status: 'error', content: 'no such order' }, 'error', 'no such order'],
    ['said', { status: 'success', content: 'Error: no such order' }, 'error', 'Error: no such order'],
    ['neither', { status: 'success', content: 'An error is an event' }, 'ok', undefined],
    ['as blocks', { content: [{ type: 'text', text: 'Error: x' }] }, 'error', 'Error: x'],
  ])('%s: the error of its result', (_, result, outcome, error) => {
    const turn = only(human, { ...ai, tool_calls: [call] }, { type: 'tool', tool_call_id: 'c1', ...result });
    expect(callAt(turn, 0)).toMatchObject({ outcome });
    expect(callAt(turn, 0).error).toBe(error);
  });

  it('keeps a result that is not text', () => {
    const content = [{ type: 'image', base64: 'AAAA' }];
    const turn = only(human, { ...ai, tool_calls: [call] }, { type: 'tool', tool_call_id: 'c1', content });
    expect(callAt(turn, 0)).toMatchObject({ outcome: 'ok', result: content, resultPointer: '/messages/2/content' });
  });
});

describe('sessions', () => {
  const messages = [human, ai];
  it.each<[string, object, string]>([
    ['of their own', { messages, thread_id: 'a' }, 'a'],
    ['of the metadata', { values: { messages }, metadata: { thread_id: 'b' } }, 'b'],
    ['of the checkpoint', { values: { messages }, checkpoint: { thread_id: 'c' } }, 'c'],
    ['of the configuration', { values: { messages }, config: { configurable: { thread_id: 7 } } }, '7'],
    ['of a stored checkpoint', { channel_values: { messages }, metadata: { session_id: 'd' } }, 'd'],
    ['of the file', { values: { messages } }, 'some'],
  ])('have an id %s', (_, value, id) => {
    expect(onlySession(read(json(value))).id).toBe(id);
  });

  it('are read from the latest state of each thread', () => {
    const reading = read(fixture('langgraph-history.json'));
    expect(onlySession(reading)).toMatchObject({ id: 'conv_42', source: { pointer: '/0' } });
    expect(codes(reading)).toEqual(['warning earlier-state']);
  });

  it('without a time of the states, from the one with the most messages', () => {
    const state = (thread: string, ...values: unknown[]) => ({
      values: { messages: values },
      metadata: { thread_id: thread },
    });
    const reading = read(
      jsonLines([state('a', human), undefined, state('b', human), state('a', human, ai), state('a', human)]),
    );
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['b', '/2'],
      ['a', '/3'],
    ]);
    expect(reading.problems[0]?.message).toMatch(/^Skipped 2 earlier states/);
  });

  it("are read from states with OpenAI's messages", () => {
    const state = { values: { messages: [{ role: 'user', content: 'hi' }] }, next: ['agent'] };
    expect(read(json(state)).sessions[0]).toMatchObject({ source: { format: 'langchain' }, turns: [{ input: 'hi' }] });
  });

  it('are several in a list of several', () => {
    expect(read(json([{ messages }, { messages }], 'all.json')).sessions.map(({ id }) => id)).toEqual([
      'all-1',
      'all-2',
    ]);
  });
});

it('the instructions are the system messages', () => {
  const session = onlySession(langChain.read(json([{ type: 'system', content: 'Be brief.' }, human, ai])));
  expect(session.system).toBe('Be brief.');
});
