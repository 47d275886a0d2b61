import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { bedrockConverse } from '../../../../src/formats/chat/bedrock-converse.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const user = (...content: readonly unknown[]) => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const use = { toolUse: { toolUseId: '1', name: 'f', input: { a: 1 } } };

function chat(...messages: readonly unknown[]) {
  return bedrockConverse.read(json([user({ text: 'go' }), ...messages]));
}

describe('a result', () => {
  const error = { text: 'Error: broken' };

  it.each<[string, object, unknown, string, string]>([
    ['a text', { content: [{ text: 'b' }] }, 'b', 'ok', '/content/0/text'],
    ['several texts', { content: [{ text: 'b' }, { text: 'c' }] }, 'b\nc', 'ok', '/content'],
    ['JSON', { content: [{ json: { b: 2 } }] }, { b: 2 }, 'ok', '/content/0/json'],
    ['JSON and text', { content: [{ json: 1 }, { text: 'b' }] }, [{ json: 1 }, { text: 'b' }], 'ok', '/content'],
    ['nothing', { content: [] }, undefined, 'ok', ''],
    ['a flag', { content: [{ text: 'b' }], status: 'error' }, 'b', 'error', '/content/0/text'],
    ['a text that says so', { content: [error] }, error.text, 'error', '/content/0/text'],
    [
      'no flag but a text that says so',
      { content: [error], status: 'success' },
      error.text,
      'error',
      '/content/0/text',
    ],
  ])('is %s', (_, content, result, outcome, pointer) => {
    const reading = chat(assistant(use), user({ toolResult: { toolUseId: '1', ...content } }));
    const call = callAt(turnAt(onlySession(reading), 0), 0);
    expect([call.result, call.outcome, call.resultPointer]).toEqual([
      result,
      outcome,
      `/2/content/0/toolResult${pointer}`,
    ]);
    expect(reading.problems).toEqual([]);
  });

  it('starts no turn, even with a user text beside it', () => {
    const result = { toolResult: { toolUseId: '1', content: [{ text: 'x' }] } };
    const { turns } = onlySession(
      chat(assistant(use), user(result), assistant({ text: 'b' }), user({ text: 'c' }), assistant(use), user(result)),
    );
    expect(turns.map(({ input, output }) => [input, output])).toEqual([
      ['go', 'b'],
      ['c', null],
    ]);
    expect(onlySession(chat(assistant(use), user(result, { text: 'and?' }))).turns.map(({ input }) => input)).toEqual([
      'go',
      'and?',
    ]);
  });
});

it('cited text is text, thoughts and images are not', () => {
  const turn = turnAt(
    onlySession(
      chat(
        assistant(
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
          { reasoningContent: { redactedContent: 'AAAA' } },
          { citationsContent: { content: [{ text: 'b' }], citations: [] } },
          { text: 'c' },
        ),
        user({ image: { format: 'png', source: { bytes: 'AAAA' } } }),
      ),
    ),
    0,
  );
  expect(turn).toMatchObject({ output: 'b\nc', outputPointer: '/1/content', steps: [{ reasoning: 'hm' }] });
});

describe('responses', () => {
  const response = {
    output: { message: assistant({ text: 'b' }) },
    stopReason: 'end_turn',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 22, cacheReadInputTokens: 4, cacheWriteInputTokens: 3 },
  };

  it('are answers without an input', () => {
    const turn = turnAt(onlySession(read(json(response))), 0);
    expect([turn.input, turn.output, turn.outputPointer]).toEqual([null, 'b', '/output/message/content/0/text']);
    expect(turn.steps).toMatchObject([
      { finishReason: 'end_turn', usage: { inputTokens: 17, outputTokens: 5, cachedTokens: 4 } },
    ]);
  });

  it('follow their logged request, one session per line', () => {
    const record = (text: string, requestId: string) => ({
      schemaType: 'ModelInvocationLog',
      requestId,
      modelId: 'm',
      input: { inputBodyJson: { messages: [user({ text })], system: [{ text: 'x' }, { text: 'y' }] } },
      output: { outputBodyJson: response },
    });
    const { sessions } = read(jsonLines([record('a', 'r1'), undefined, record('b', 'r2')]));
    expect(sessions.map(({ id, system, metadata, turns }) => [id, system, metadata, turns[0]?.input])).toEqual([
      ['r1', 'x\n\ny', { model: 'm' }, 'a'],
      ['r2', 'x\n\ny', { model: 'm' }, 'b'],
    ]);
    expect(sessions[1]?.turns[0]?.outputPointer).toBe('/2/output/outputBodyJson/output/message/content/0/text');
  });
});

describe('a log of calls that repeat earlier calls', () => {
  const result = (id: string) => user({ toolResult: { toolUseId: id, content: [{ text: 'x' }] } });
  const calling = (id: string) => assistant({ toolUse: { toolUseId: id, name: 'f', input: {} } });
  const record = (messages: readonly unknown[], message: unknown, requestId: string) => ({
    requestId,
    input: { inputBodyJson: { messages } },
    output: { outputBodyJson: { output: { message } } },
  });
  const go = user({ text: 'go' });
  const begun = [go, calling('1'), result('1')];
  const done = assistant({ text: 'b' });

  it('is one session, with its calls once', () => {
    const reading = read(
      jsonLines([
        record([go], calling('1'), 'r1'),
        record(begun, calling('2'), 'r2'),
        record([...begun, calling('2'), result('2')], done, 'r3'),
      ]),
    );
    const session = onlySession(reading);
    expect([session.id, session.source.pointer, session.turns.length]).toEqual(['r3', '/2', 1]);
    expect(agentToolCalls(turnAt(session, 0)).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['1', 'ok'],
      ['2', 'ok'],
    ]);
    expect(codes(reading)).toEqual(['warning continued-call']);
  });

  it('separates conversations with the same beginning or the same texts', () => {
    const other = [go, calling('7'), result('7')];
    const reading = read(
      jsonLines([
        record([go], calling('1'), 'r1'),
        record([go], calling('7'), 'r2'),
        record(begun, done, 'r3'),
        record(other, done, 'r4'),
        record([user({ text: 'hi' })], done, 'r5'),
        record([user({ text: 'hi' })], done, 'r6'),
      ]),
    );
    expect(reading.sessions.map(({ id }) => id)).toEqual(['r3', 'r4', 'r5', 'r6']);
  });

  it('continues from the selected answer and keeps the other one', () => {
    const reading = read(
      jsonLines([record([go], calling('1'), 'r1'), record([go], done, 'r2'), record(begun, done, 'r3')]),
    );
    expect(reading.sessions.map(({ id }) => id)).toEqual(['r2', 'r3']);
  });

  it('does not join lists without an answer, as in training data', () => {
    expect(read(jsonLines([{ messages: [go] }, { messages: begun }])).sessions).toHaveLength(2);
  });
});

it('the tools of a request are unwrapped', () => {
  const [tool] = onlySession(read(fixture('bedrock-converse.json'))).tools ?? [];
  expect(tool).toMatchObject({ name: 'get_order', description: 'Looks up an order.', inputSchema: { type: 'object' } });
  expect(onlySession(chat(assistant({ text: 'b' }))).tools).toBeUndefined();
});

it('invalid messages are skipped with a warning', () => {
  const nameless = { toolUse: { toolUseId: '2', input: {} } };
  const reading = chat({ role: 'robot', content: [] }, { role: 'user' }, 5, assistant(nameless, use));
  expect(agentToolCalls(turnAt(onlySession(reading), 0)).map(({ name }) => name)).toEqual(['f']);
  expect(codes(reading)).toEqual([...Array(3).fill('warning not-a-message'), 'warning call-without-name']);
});
