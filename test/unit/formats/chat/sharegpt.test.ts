import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { shareGpt } from '../../../../src/formats/chat/sharegpt.ts';
import { codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const say = (from: string, value: string) => ({ from, value });

function chat(...messages: readonly unknown[]) {
  return shareGpt.read(json({ conversations: [say('human', 'go'), ...messages] }));
}

it.each(['gpt', 'chatgpt', 'assistant', 'model', 'bing', 'bard'])('%s is the agent', (from) => {
  expect(onlySession(chat(say(from, 'b'))).turns).toMatchObject([{ input: 'go', output: 'b' }]);
});

describe('calls', () => {
  it.each<[string, string, unknown[]]>([
    ['one', '{"name": "f", "arguments": {"a": 1}}', [['f', { a: 1 }]]],
    ['arguments as text', '{"name": "f", "arguments": "{\\"a\\": 1}"}', [['f', { a: 1 }]]],
    ['Hermes’ parameters', '{"name": "f", "parameters": {"a": 1}}', [['f', { a: 1 }]]],
    [
      'several',
      '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]',
      [
        ['f', {}],
        ['g', {}],
      ],
    ],
  ])('%s', (_, value, expected) => {
    const calls = agentToolCalls(turnAt(onlySession(chat(say('function_call', value))), 0));
    expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(expected);
  });

  it.each(['not JSON', '{"arguments": {}}', '5', 'null'])('%j has no tool name', (value) => {
    const reading = chat(say('function_call', value));
    expect(onlySession(reading).turns.flatMap(agentToolCalls)).toEqual([]);
    expect(codes(reading)).toEqual(['warning call-without-name']);
  });

  it.each(['observation', 'tool', 'function_response', 'tool_response'])('are answered by %s', (from) => {
    const reading = chat(
      say('function_call', '{"name": "f", "arguments": {}}'),
      say(from, 'Error: broken'),
      say('gpt', 'b'),
    );
    expect(agentToolCalls(turnAt(onlySession(reading), 0))).toMatchObject([
      { outcome: 'error', error: 'Error: broken', resultPointer: '/conversations/2/value' },
    ]);
    expect(onlySession(reading).turns).toHaveLength(1);
  });

  it('may be in tags beside the text, as may several results', () => {
    const tags = (tag: string, ...inner: string[]) => inner.map((item) => `<${tag}>\n${item}\n</${tag}>`).join('\n');
    const called = tags('tool_call', '{"name": "f", "arguments": {"a": 1}}', '{"name": "g", "arguments": {}}');
    const results = tags('tool_response', '{"name": "g", "content": {"error": "broken"}}', 'plain');
    const turn = turnAt(onlySession(chat(say('gpt', `First this.\n${called}`), say('tool', results))), 0);
    expect(turn.output).toBe('First this.');
    expect(
      agentToolCalls(turn).map(({ name, arguments: args, result, outcome }) => [name, args, result, outcome]),
    ).toEqual([
      ['f', { a: 1 }, 'plain', 'ok'],
      ['g', {}, { error: 'broken' }, 'error'],
    ]);
  });

  it('are text if a tag is not closed, in linear time', () => {
    const text = '<tool_call>'.repeat(200_000);
    const started = performance.now();
    const turn = turnAt(onlySession(chat(say('gpt', text))), 0);
    expect([turn.output, agentToolCalls(turn)]).toEqual([text, []]);
    // A search from every tag to the end would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

it('the tools are JSON in a string, or a list', () => {
  expect(onlySession(read(fixture('sharegpt.json'))).tools?.map(({ name }) => name)).toEqual([
    'get_order',
    'refund_order',
  ]);
  const conversations = [say('human', 'a'), say('gpt', 'b')];
  expect(onlySession(read(json({ conversations, tools: [{ name: 'f' }] }))).tools).toEqual([{ name: 'f' }]);
  expect(onlySession(read(json({ conversations, tools: 'none' }))).tools).toBeUndefined();
});

it('every conversation of a file is a session', () => {
  const conversations = [say('human', 'a'), say('gpt', 'b')];
  const { sessions } = read(
    jsonLines([
      { id: 'x', conversations },
      { conversations, system: 'y' },
    ]),
  );
  expect(sessions.map(({ id, system }) => [id, system])).toEqual([
    ['x', undefined],
    ['line-2', 'y'],
  ]);
});

it('invalid messages are skipped with a warning', () => {
  const reading = chat(say('robot', 'x'), { from: 'gpt', value: 5 }, null, say('gpt', 'b'));
  expect(onlySession(reading).turns.map(({ output }) => output)).toEqual(['b']);
  expect(codes(reading)).toEqual(Array(3).fill('warning not-a-message'));
});
