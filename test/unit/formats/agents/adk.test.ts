import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { adkEvalset } from '../../../../src/formats/agents/adk-evalset.ts';
import { adkSession } from '../../../../src/formats/agents/adk-session.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

type Parts = readonly object[] | null;
const event = (author: string, invocation: string | undefined, parts: Parts, more: object = {}) => ({
  id: 'e',
  author,
  invocation_id: invocation,
  content: parts && { role: author === 'user' ? 'user' : 'model', parts },
  ...more,
});
const session = (...events: readonly unknown[]) =>
  onlySession(adkSession.read(json({ id: 's', app_name: 'a', user_id: 'u', events })));
const text = (value: string) => [{ text: value }];
const called = (name: string, id?: string) => [{ function_call: { id, name, args: {} } }];
const returned = (name: string, response: unknown, id?: string) => [{ function_response: { id, name, response } }];

describe('sessions', () => {
  it('have ids, times, tokens, thoughts and authors', () => {
    const read_ = read(fixture('conv.session.json'));
    const [first, second] = onlySession(read_).turns;
    expect(onlySession(read_)).toMatchObject({
      id: 'conv_42',
      metadata: { app_name: 'refunds', state: { tier: 'gold' } },
    });
    expect(first).toMatchObject({ id: 'inv1', pointer: '/events/1', inputPointer: '/events/1/content/parts/0/text' });
    expect(first?.startedAt).toBe('2026-02-25T06:13:21.500Z');
    expect(first?.steps[0]).toMatchObject({
      type: 'model',
      speaker: 'refunds',
      usage: { inputTokens: 100, outputTokens: 10, reasoningTokens: 5 },
    });
    expect(first?.steps[1]).toMatchObject({
      pointer: '/events/2/content/parts/0/function_call',
      resultPointer: '/events/3/content/parts/0/function_response/response',
      id: 'adk-0',
      startedAt: '2026-02-25T06:13:22.500Z',
      endedAt: '2026-02-25T06:13:23.500Z',
    });
    expect(second?.steps).toMatchObject([
      { reasoning: 'They ask about time.', model: 'gemini-2.5-pro', finishReason: 'STOP' },
    ]);
    expect(second?.outputPointer).toBe('/events/15/content/parts/1/text');
    expect(read_.problems).toEqual([]);
  });

  it("have pointers with the file's own keys", () => {
    const call = callAt(turnAt(onlySession(read(fixture('conv-camel.session.json'))), 0), 0);
    expect(call.pointer).toBe('/events/2/content/parts/0/functionCall');
    expect(call.resultPointer).toBe('/events/3/content/parts/0/functionResponse/response');
  });

  // Cases `conv-tool-only` and `conv-two-finals` of the evaluators of google/adk-python.
  it('may have an invocation that ends with a call', () => {
    const found = session(
      event('user', 'inv1', text('what is the weather?')),
      event('agent', 'inv1', called('get_weather')),
    );
    expect(found.turns).toHaveLength(1);
    expect(found.turns[0]).toMatchObject({ input: 'what is the weather?', output: null });
    expect(agentToolCalls(turnAt(found, 0)).map(({ outcome }) => outcome)).toEqual(['missing']);
  });

  it('use the last of two answers', () => {
    const { turns } = session(
      event('user', 'inv1', text('Hello')),
      event('agent1', 'inv1', text('First response')),
      event('agent2', 'inv1', text('Second response')),
    );
    expect(turns).toHaveLength(1);
    expect(turns[0]?.output).toBe('Second response');
    expect(turns[0]?.steps).toMatchObject([{ speaker: 'agent1', text: 'First response' }, { speaker: 'agent2' }]);
  });

  it('group events by invocation, in any order', () => {
    const { turns } = session(
      event('model', 'x', null),
      event('user', 'i1', text('a')),
      event('user', 'i2', text('b')),
      event('agent', 'i1', text('A')),
      event('agent', 'i2', text('B')),
    );
    expect(turns.map(({ id, input, output }) => [id, input, output])).toEqual([
      ['i1', 'a', 'A'],
      ['i2', 'b', 'B'],
    ]);
  });

  it('split at user messages without invocation ids', () => {
    const { turns } = session(
      event('user', undefined, text('a')),
      event('agent', undefined, text('A')),
      event('user', undefined, text('b')),
    );
    expect(turns.map(({ input, output }) => [input, output])).toEqual([
      ['a', 'A'],
      ['b', null],
    ]);
  });

  it('match a result that the user supplies later with its call, without a new turn', () => {
    const found = session(
      event('user', 'i1', text('approve it')),
      event('agent', 'i1', called('ask', '1'), { long_running_tool_ids: ['1'] }),
      event('user', 'i2', returned('ask', { approved: true }, '1')),
      event('agent', 'i2', text('Done.')),
    );
    expect(found.turns.map(({ input, output }) => [input, output])).toEqual([
      ['approve it', null],
      [null, 'Done.'],
    ]);
    expect(callAt(turnAt(found, 0), 0)).toMatchObject({ outcome: 'ok', result: { approved: true } });
  });

  it('unwrap results that are wrapped in an object', () => {
    const found = session(
      event('user', 'i', text('a')),
      event('agent', 'i', called('f')),
      event('agent', 'i', returned('f', { result: 'Error: no' })),
    );
    expect(callAt(turnAt(found, 0), 0)).toMatchObject({
      result: 'Error: no',
      outcome: 'error',
      resultPointer: '/events/2/content/parts/0/function_response/response/result',
    });
  });

  it("keep a model's error separate from its answers", () => {
    const { turns } = session(
      event('user', 'i', text('a')),
      event('agent', 'i', null, { error_code: '503', error_message: 'overloaded' }),
    );
    expect(turns[0]).toMatchObject({ output: null, steps: [{ type: 'model', error: 'overloaded' }] });
  });

  it('skip invalid events', () => {
    const reading = adkSession.read(
      json({ app_name: 'a', user_id: 'u', events: [5, event('user', 'i', text('a'))] }, 'x.session.json'),
    );
    expect([onlySession(reading).id, onlySession(reading).turns.length, codes(reading)]).toEqual([
      'x',
      1,
      ['warning not-an-event'],
    ]);
  });

  it.each([[5], [{ events: {} }], [[null]]])('%j is an error: no session', (value) => {
    expect(codes(adkSession.read(json(value)))).toContain('error no-session');
  });
});

describe('evaluation sets', () => {
  it('have the ids of their cases, or of the file', () => {
    const ids = (name: string) => read(fixture(name)).expectations?.map(({ id, pointer }) => [id, pointer]);
    expect(ids('conv.evalset.json')).toEqual([['conv_42', '/eval_cases/0']]);
    expect(ids('conv-camel.evalset.json')).toEqual([['conv_42', '/evalCases/0']]);
    expect(ids('older.test.json')).toEqual([['conv_42', '/0']]);
    expect(ids('old.test.json')).toEqual([['old', '']]);
  });

  it('have pointers to their turns', () => {
    const places = (name: string) => read(fixture(name)).expectations?.[0]?.turns.map(({ pointer }) => pointer);
    expect(places('conv.evalset.json')).toEqual(['/eval_cases/0/conversation/0', '/eval_cases/0/conversation/1']);
    expect(places('older.test.json')).toEqual(['/0/data/0', '/0/data/1']);
    expect(places('old.test.json')).toEqual(['/0', '/1']);
  });

  const evalset = (...eval_cases: readonly unknown[]) => adkEvalset.read(json({ eval_set_id: 'x', eval_cases }));
  const invocation = (more: object) => ({ user_content: { parts: text('a') }, ...more });

  it.each<[string, object, object]>([
    ['nothing about calls', {}, { response: undefined, toolCalls: undefined }],
    ['no calls', { intermediate_data: {} }, { response: undefined, toolCalls: [] }],
    ['no text', { final_response: { parts: [{ text: null }] } }, { response: undefined }],
    [
      'calls without arguments',
      { intermediate_data: { tool_uses: [{ name: 'f' }, {}] } },
      { toolCalls: [{ name: 'f', arguments: {} }] },
    ],
  ])('expect %s', (_, more, expected) => {
    expect(
      evalset({ eval_id: 'a', conversation: [invocation(more)] }).expectations?.[0]?.turns[0]?.reference,
    ).toMatchObject(expected);
  });

  it('report skipped cases and repeated ids', () => {
    const reading = evalset(
      { eval_id: 'a', conversation: [5, invocation({})] },
      { eval_id: 'a', conversation: [] },
      { eval_id: 'b', conversation_scenario: {} },
      { eval_id: 'c' },
    );
    expect(reading.expectations?.map(({ id, turns }) => [id, turns.length])).toEqual([
      ['a', 1],
      ['a#2', 0],
    ]);
    expect(codes(reading)).toEqual([
      'warning not-a-turn',
      'warning conversation-scenario',
      'error not-a-case',
      'warning duplicate-case-id',
    ]);
  });

  it.each([[5], [[]], [{ eval_set_id: 'x' }], [[{ query: 5 }]]])('%j is an error: no cases', (value) => {
    expect(codes(adkEvalset.read(json(value)))).toContain('error no-expectation');
  });
});
