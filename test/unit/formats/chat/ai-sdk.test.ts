import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { aiSdk } from '../../../../src/formats/chat/ai-sdk.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] };

function ui(...parts: readonly unknown[]) {
  return aiSdk.read(json([user, { id: 'a', role: 'assistant', parts }]));
}

function model(...messages: readonly unknown[]) {
  return aiSdk.read(json([{ role: 'user', content: 'go' }, ...messages]));
}

const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const tool = (...content: readonly unknown[]) => ({ role: 'tool', content });
const call = (id: string, toolName = 'f') => ({ type: 'tool-call', toolCallId: id, toolName, input: { a: 1 } });
const text = (of: string) => ({ type: 'text', text: of });

describe('a call in a chat', () => {
  const part = { type: 'tool-f', toolCallId: '1', input: { a: 1 } };

  it.each<[string, object, unknown, unknown]>([
    ['input-streaming', { input: { a: 1 } }, 'missing', undefined],
    ['input-available', {}, 'missing', undefined],
    ['approval-requested', { approval: { id: 'p' } }, 'missing', undefined],
    ['approval-responded', { approval: { id: 'p', approved: true } }, 'missing', undefined],
    ['approval-responded', { approval: { id: 'p', approved: false, reason: 'no' } }, 'rejected', 'no'],
    ['output-denied', { approval: { id: 'p', approved: false } }, 'rejected', undefined],
    ['output-available', { output: { b: 2 } }, 'ok', { b: 2 }],
    ['output-available', { output: null }, 'ok', null],
    ['output-available', { output: { error: 'broken' } }, 'error', { error: 'broken' }],
    ['output-error', { errorText: 'broken' }, 'error', 'broken'],
    ['a state of tomorrow', { output: 5 }, 'missing', undefined],
  ])('in the state %s (%j)', (state, rest, outcome, result) => {
    const reading = ui({ ...part, state, ...rest });
    const read = callAt(turnAt(onlySession(reading), 0), 0);
    expect([read.outcome, read.result, read.arguments]).toEqual([outcome, result, { a: 1 }]);
    expect(read.error).toBe(outcome === 'error' ? 'broken' : undefined);
    expect(reading.problems).toEqual([]);
  });

  it('has its raw input if that is invalid', () => {
    const { turns } = onlySession(
      ui(
        { type: 'tool-f', toolCallId: '1', state: 'output-error', rawInput: '{"a": ', errorText: 'x' },
        {
          type: 'tool-f',
          toolCallId: '2',
          state: 'output-error',
          input: undefined,
          rawInput: { a: 'one' },
          errorText: 'x',
        },
      ),
    );
    expect(turns.flatMap(agentToolCalls).map((call) => call.arguments)).toEqual(['{"a": ', { a: 'one' }]);
  });

  it("has its name in the type, beside it, or in v4's wrapper", () => {
    const { turns } = onlySession(
      ui(
        { type: 'tool-get-order', toolCallId: '1', state: 'input-available', input: {} },
        { type: 'tool-call', toolCallId: '2', state: 'input-available', input: {} },
        { type: 'dynamic-tool', toolName: 'mcp', toolCallId: '3', state: 'input-available', input: {} },
        { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: '4', toolName: 'old', args: {} } },
      ),
    );
    expect(turns.flatMap(agentToolCalls).map(({ name }) => name)).toEqual(['get-order', 'call', 'mcp', 'old']);
  });

  it('without a name is skipped with a warning', () => {
    const reading = ui({ type: 'dynamic-tool', toolCallId: '1', state: 'output-available', output: 1 }, text('done'));
    expect(onlySession(reading).turns.flatMap(agentToolCalls)).toEqual([]);
    expect(codes(reading)).toEqual(['warning call-without-name']);
  });

  it('of v4 counts once, although parts and `toolInvocations` have it', () => {
    const invocation = { state: 'result', toolCallId: '1', toolName: 'f', args: { a: 1 }, result: 'ok' };
    const parts = [{ type: 'tool-invocation', toolInvocation: invocation }, text('b')];
    const message = { role: 'assistant', content: 'b', parts, toolInvocations: [invocation] };
    const { turns } = onlySession(aiSdk.read(json([user, message])));
    expect(turns.flatMap(agentToolCalls).map(({ pointer, result }) => [pointer, result])).toEqual([
      ['/1/parts/0/toolInvocation', 'ok'],
    ]);
  });

  it.each([
    ['call', ['model', 'tool']],
    ['result', ['model', 'tool', 'model']],
  ])('of v4 in the state %s has a pointer to the text', (state, steps) => {
    const invocation = { state, toolCallId: '1', toolName: 'f', args: {}, ...(state === 'result' && { result: 1 }) };
    const message = { role: 'assistant', content: 'b', toolInvocations: [invocation] };
    const turn = turnAt(onlySession(aiSdk.read(json([{ role: 'user', content: 'a' }, message]))), 0);
    expect(turn.steps.map(({ type }) => type)).toEqual(steps);
    expect([turn.input, turn.output]).toEqual(['a', 'b']);
  });
});

it('a message has one answer per model call', () => {
  const done = { type: 'tool-f', toolCallId: '1', state: 'output-available', input: {}, output: 1 };
  const turn = turnAt(
    onlySession(ui({ type: 'step-start' }, text('a'), done, text('b'), { type: 'step-start' }, text('c'))),
    0,
  );
  expect(turn.steps.map((step) => [step.type, step.pointer, step.type === 'model' ? step.text : step.type])).toEqual([
    ['model', '/1', 'a'],
    ['tool', '/1/parts/2', 'tool'],
    ['model', '/1/parts/3', 'b'],
    ['model', '/1/parts/4', 'c'],
  ]);
});

it('reasoning, sources, files and data are not answers', () => {
  const turn = turnAt(
    onlySession(
      ui(
        { type: 'reasoning', text: 'hm' },
        { type: 'source-url', sourceId: 's', url: 'https://example.org' },
        { type: 'file', mediaType: 'image/png', url: 'data:,' },
        { type: 'data-weather', data: { text: 'rain' } },
      ),
    ),
    0,
  );
  expect(turn.output).toBeNull();
  expect(turn.steps).toMatchObject([{ type: 'model', reasoning: 'hm' }]);
});

it('times of v4 are those of the turns', () => {
  const messages = [
    { ...user, createdAt: '2025-01-01T10:00:00.000Z' },
    { role: 'assistant', content: 'b', createdAt: '2025-01-01T10:00:09.000Z' },
  ];
  expect(turnAt(onlySession(aiSdk.read(json(messages))), 0)).toMatchObject({
    startedAt: '2025-01-01T10:00:00.000Z',
    endedAt: '2025-01-01T10:00:09.000Z',
  });
});

describe('a result sent to the model', () => {
  it.each<[object, unknown, unknown, string]>([
    [{ output: { type: 'text', value: 'b' } }, 'ok', 'b', '/output/value'],
    [{ output: { type: 'json', value: { b: 2 } } }, 'ok', { b: 2 }, '/output/value'],
    [{ output: { type: 'json', value: { error: 'broken' } } }, 'error', { error: 'broken' }, '/output/value'],
    [{ output: { type: 'content', value: [text('b')] } }, 'ok', [text('b')], '/output/value'],
    [{ output: { type: 'error-text', value: 'broken' } }, 'error', 'broken', '/output/value'],
    [{ output: { type: 'error-json', value: { code: 5 } } }, 'error', { code: 5 }, '/output/value'],
    [{ output: { type: 'execution-denied', reason: 'no' } }, 'rejected', 'no', '/output/reason'],
    [{ output: { type: 'execution-denied' } }, 'rejected', undefined, ''],
    [{ output: { temperature: 5 } }, 'ok', { temperature: 5 }, '/output'],
    [{ result: { b: 2 } }, 'ok', { b: 2 }, '/result'],
    [{ result: 'broken', isError: true }, 'error', 'broken', '/result'],
  ])('%j', (input, outcome, value, pointer) => {
    const result = { type: 'tool-result', toolCallId: '1', toolName: 'f', ...input };
    const read = callAt(turnAt(onlySession(model(assistant(call('1')), tool(result))), 0), 0);
    expect([read.outcome, read.result, read.resultPointer]).toEqual([outcome, value, `/2/content/0${pointer}`]);
    if (outcome === 'error') expect(read.error).toMatch(/broken|code/);
  });

  it('of a provider is in the answer, and later parts are another answer', () => {
    const result = { type: 'tool-result', toolCallId: '1', toolName: 'f', output: { type: 'text', value: 'x' } };
    const turn = turnAt(onlySession(model(assistant(text('a'), call('1'), result, text('b')))), 0);
    expect(turn.steps.map(({ type }) => type)).toEqual(['model', 'tool', 'model']);
    expect([turn.output, callAt(turn, 0).result]).toEqual(['b', 'x']);
  });

  const request = { type: 'tool-approval-request', approvalId: 'p', toolCallId: '1' };
  const denial = { type: 'tool-approval-response', approvalId: 'p', approved: false, reason: 'no' };
  const denied = { type: 'tool-result', toolCallId: '1', toolName: 'f', output: { type: 'execution-denied' } };

  it.each([
    ['a user refuses', [tool(denial)], 'rejected', 'no'],
    ['a user refuses and the SDK repeats it', [tool(denial), tool(denied)], 'rejected', 'no'],
    ['only the SDK says was refused', [tool(denied)], 'rejected', undefined],
    ['a user grants', [tool({ ...denial, approved: true })], 'missing', undefined],
    ['nobody decides about', [], 'missing', undefined],
  ])('of a call that %s', (_, messages, outcome, result) => {
    const reading = model(assistant(call('1'), request), ...messages);
    const read = callAt(turnAt(onlySession(reading), 0), 0);
    expect([read.outcome, read.result]).toEqual([outcome, result]);
    expect(reading.problems).toEqual([]);
  });
});

it('a stored chat has its id', () => {
  const session = onlySession(read(fixture('ai-sdk-ui.json')));
  expect([session.id, session.system]).toEqual(['conv_42', 'You refund orders.']);
});

it('v4 data messages are ignored, and other messages are skipped with a warning', () => {
  const reading = aiSdk.read(
    json([user, { role: 'data', content: 'x' }, { role: 'robot' }, null, { ...user, id: 'v' }]),
  );
  expect(onlySession(reading).turns).toHaveLength(1);
  expect(codes(reading)).toEqual(['warning not-a-message', 'warning not-a-message']);
});
