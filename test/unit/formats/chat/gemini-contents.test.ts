import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { geminiContents } from '../../../../src/formats/chat/gemini-contents.ts';
import { callAt, codes, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const user = (...parts: readonly unknown[]) => ({ role: 'user', parts });
const model = (...parts: readonly unknown[]) => ({ role: 'model', parts });

function chat(...contents: readonly unknown[]) {
  return geminiContents.read(json([user({ text: 'go' }), ...contents]));
}

describe('calls and responses', () => {
  const f = { functionCall: { name: 'f', args: { a: 1 } } };
  const g = { functionCall: { name: 'g', args: {} } };
  const response = (name: string, value: unknown) => ({ functionResponse: { name, response: value } });

  it.each<[string, unknown, unknown, string]>([
    ['an object', { b: 2 }, { b: 2 }, 'ok'],
    ['a wrapped value', { result: 5 }, 5, 'ok'],
    ['an error', { error: 'broken' }, { error: 'broken' }, 'error'],
    ['nothing', undefined, undefined, 'ok'],
  ])('%s', (_, value, result, outcome) => {
    const call = callAt(turnAt(onlySession(chat(model(f), user(response('f', value)))), 0), 0);
    expect([call.result, call.outcome]).toEqual([result, outcome]);
  });

  it('are matched by name, since they have no ids', () => {
    const { turns } = onlySession(chat(model(f, g), user(response('g', { is: 'g' }), response('f', { is: 'f' }))));
    expect(turns.flatMap(agentToolCalls).map(({ name, result }) => [name, result])).toEqual([
      ['f', { is: 'f' }],
      ['g', { is: 'g' }],
    ]);
  });

  it.each(['user', 'function', 'tool', undefined])('responses in the role %s start no turn', (role) => {
    const reading = chat(model(f), { role, parts: [response('f', { b: 2 })] }, model({ text: 'b' }));
    expect(onlySession(reading).turns.map(({ input, output }) => [input, output])).toEqual([['go', 'b']]);
  });
});

describe('code executed by the API', () => {
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };

  it.each([
    ['OUTCOME_OK', 'ok'],
    ['OUTCOME_FAILED', 'error'],
    ['OUTCOME_DEADLINE_EXCEEDED', 'error'],
    [undefined, 'ok'],
  ])('with the outcome %s is a call that is %s', (outcome, expected) => {
    const parts = [{ text: 'a' }, code, { codeExecutionResult: { outcome, output: '1\n' } }, { text: 'b' }];
    const turn = turnAt(onlySession(chat(model(...parts))), 0);
    expect(agentToolCalls(turn)).toMatchObject([
      { name: 'code_execution', arguments: { language: 'PYTHON', code: 'print(1)' }, result: '1\n', outcome: expected },
    ]);
    expect(turn.output).toBe('a\nb');
  });

  it('is missing without an outcome', () => {
    expect(callAt(turnAt(onlySession(chat(model(code))), 0), 0).outcome).toBe('missing');
  });
});

it('thoughts are reasoning, and the instructions may be a content', () => {
  const session = onlySession(
    chat(
      { role: 'system', parts: [{ text: 'Be brief.' }] },
      model({ text: 'hm', thought: true }, { text: 'b' }),
      user({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
    ),
  );
  expect(session.system).toBe('Be brief.');
  expect(session.turns).toMatchObject([{ output: 'b', steps: [{ reasoning: 'hm', text: 'b' }] }, { input: '' }]);
});

describe('requests and responses', () => {
  const answer = {
    candidates: [
      { content: model({ text: 'b' }), finishReason: 'STOP' },
      { content: model({ text: 'c' }), finishReason: 'STOP' },
    ],
    modelVersion: 'g-2',
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  };

  it('a response is an answer without an input; the first candidate counts', () => {
    const turn = turnAt(onlySession(read(json(answer))), 0);
    expect([turn.input, turn.output, turn.outputPointer]).toEqual([null, 'b', '/candidates/0/content/parts/0/text']);
    expect(turn.steps).toMatchObject([
      { model: 'g-2', finishReason: 'STOP', usage: { inputTokens: 10, outputTokens: 5 } },
    ]);
  });

  it('a request and its response on a line are a session', () => {
    const line = (text: string) => ({ request: { contents: [user({ text })] }, response: answer });
    const { sessions } = read(jsonLines([line('x'), line('y')]));
    expect(sessions.map(({ id, turns }) => [id, turns.map(({ input, output }) => [input, output])])).toEqual([
      ['line-1', [['x', 'b']]],
      ['line-2', [['y', 'b']]],
    ]);
  });

  it.each<[string, object]>([
    ['in the body', { systemInstruction: { parts: [{ text: 'x' }] } }],
    ['as a text', { system_instruction: 'x' }],
    ["in an SDK's configuration", { config: { systemInstruction: 'x' } }],
  ])('instructions are %s', (_, rest) => {
    expect(onlySession(read(json({ contents: [user({ text: 'a' })], ...rest }))).system).toBe('x');
  });

  it('the tools are the declared functions', () => {
    const schema = { type: 'object' };
    const tools = [
      {
        functionDeclarations: [
          { name: 'f', parametersJsonSchema: schema },
          { name: 'g', parameters: schema },
        ],
      },
      { codeExecution: {} },
      { googleSearch: {} },
    ];
    expect(onlySession(read(json({ contents: [user({ text: 'a' })], tools }))).tools).toEqual([
      { name: 'f', inputSchema: schema },
      { name: 'g', inputSchema: schema },
      { name: 'code_execution' },
    ]);
  });
});

it('invalid contents are skipped with a warning', () => {
  const reading = chat({ role: 'robot', parts: [] }, { role: 'model' }, null, model({ text: 'b' }));
  expect(onlySession(reading).turns.map(({ output }) => output)).toEqual(['b']);
  expect(codes(reading)).toEqual(Array(3).fill('warning not-a-message'));
});
