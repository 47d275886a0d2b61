import { describe, expect, it } from 'vitest';
import { type AgentStep, agentToolCalls, type ModelStep } from '../../../../src/core/session.ts';
import { detect } from '../../../../src/formats/index.ts';
import { openAiAgents } from '../../../../src/formats/spans/openai-agents.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const trace = (id: string, more: object = {}) => ({ object: 'trace', id, workflow_name: 'w', ...more });
let clock = 0;

/** A span that begins after all spans before it. */
function span(id: string, parent: string | null, data: object, more: object = {}) {
  clock += 1;
  const at = new Date(Date.UTC(2026, 0, 1) + clock * 1000).toISOString();
  const times = { started_at: at, ended_at: at };
  return {
    object: 'trace.span',
    id,
    trace_id: 't',
    parent_id: parent,
    ...times,
    span_data: data,
    error: null,
    ...more,
  };
}

const agent = (id: string, more: object = {}, parent: string | null = null) =>
  span(id, parent, { type: 'agent', name: id, tools: ['f'], handoffs: [] }, more);
const tool = (id: string, parent: string, data: object = {}, more: object = {}) =>
  span(id, parent, { type: 'function', name: 'f', input: '{}', output: 'x', ...data }, more);
const generation = (id: string, parent: string, data: object) => span(id, parent, { type: 'generation', ...data });
const response = (id: string, parent: string, data: object = {}) =>
  span(id, parent, { type: 'response', response_id: id, usage: { input_tokens: 5, output_tokens: 2 }, ...data });
const turn = (id: string, parent: string, more: object = {}) =>
  span(
    id,
    parent,
    {
      type: 'custom',
      name: 'turn',
      data: { sdk_span_type: 'turn', usage: { input_tokens: 7, output_tokens: 3, cached_input_tokens: 1 } },
    },
    more,
  );

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

const readSpans = (...objects: readonly object[]) => openAiAgents.read(json({ data: [trace('t'), ...objects] }));
const turnOf = (...objects: readonly object[]) => turnAt(onlySession(readSpans(...objects)), 0);
const models = (...objects: readonly object[]) =>
  turnOf(...objects).steps.filter((step): step is ModelStep => step.type === 'model');

describe('an export', () => {
  it('is one session for a group, with a turn for each trace', () => {
    const session = onlySession(read(fixture('openai-agents-trace.json')));
    expect([session.id, session.system, session.tools]).toEqual([
      'conv_42',
      'You refund orders.',
      [{ name: 'get_order' }, { name: 'refund_order' }],
    ]);
    expect(session.turns.map(({ id }) => id)).toEqual(['trace_1', 'trace_2']);
    const [first] = session.turns[0]?.steps ?? [];
    expect(first).toMatchObject({
      model: 'gpt-5.1',
      speaker: 'Support agent',
      usage: { inputTokens: 100, outputTokens: 20 },
      startedAt: '2026-03-01T10:00:01.000Z',
    });
    expect(callAt(turnAt(session, 0), 1).error).toBe('amount exceeds order total 42.50');
  });

  it.each<[string, ReturnType<typeof json>]>([
    ['one', json({ data: [trace('t'), agent('a'), tool('b', 'a')] })],
    ['a list', json([trace('t'), agent('a'), tool('b', 'a')])],
    ['batches on lines', jsonLines([{ data: [trace('t'), agent('a')] }, undefined, { data: [tool('b', 'a')] }])],
    ['objects on lines', jsonLines([trace('t'), agent('a'), tool('b', 'a')])],
    ['sent twice', json([trace('t'), agent('a'), tool('b', 'a'), tool('b', 'a')])],
  ])('may be %s', (_, document) => {
    expect(detect(document)?.format).toBe(openAiAgents);
    expect(agentToolCalls(turnAt(onlySession(openAiAgents.read(document)), 0))).toHaveLength(1);
  });

  it('without a span of an agent is no session', () => {
    expect(codes(openAiAgents.read(json({ data: [trace('t')] })))).toEqual(['error no-session']);
    expect(openAiAgents.detect(json({ data: [{ object: 'list' }] }))).toBeNull();
  });

  it('says what it does not hold where the Responses API was used', () => {
    const reading = readSpans(agent('a'), response('r', 'a'), tool('b', 'a'), response('s', 'a'));
    expect(turnAt(onlySession(reading), 0)).toMatchObject({ input: null, output: null, captured: false });
    expect(codes(reading)).toEqual(['warning no-content']);
  });

  it('has the messages if a program exports the responses too', () => {
    const message = {
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] }],
      model: 'm',
    };
    const reading = readSpans(agent('a'), response('r', 'a', { _input: [user('hi')], _response: message }));
    expect(turnAt(onlySession(reading), 0)).toMatchObject({ input: 'hi', output: 'hello' });
    expect(turnAt(onlySession(reading), 0).steps).toMatchObject([{ model: 'm', usage: { inputTokens: 5 } }]);
    expect(reading.problems).toEqual([]);
  });
});

describe('a call', () => {
  it.each<[string, object, object, unknown, string, string | undefined]>([
    ['that worked', {}, {}, {}, 'ok', undefined],
    ['that failed', {}, { error: { message: 'Error running tool', data: { error: 'no' } } }, {}, 'error', 'no'],
    [
      'that failed without a word',
      {},
      { error: { message: 'Error running tool', data: null } },
      {},
      'error',
      'Error running tool',
    ],
    ['that failed by its result', { output: 'Error: no' }, {}, {}, 'error', 'Error: no'],
    [
      'that failed by the words of the SDK',
      { output: 'An error occurred while running the tool. x' },
      {},
      {},
      'error',
      'An error occurred while running the tool. x',
    ],
    ['that was not approved', { output: 'Tool execution was not approved.' }, {}, {}, 'rejected', undefined],
    ['whose arguments are hidden', { input: '', output: null }, {}, '', 'ok', undefined],
  ])('%s', (_, data, more, input, outcome, error) => {
    const step = callAt(turnOf(agent('a'), tool('b', 'a', data, more)), 0);
    expect([step.arguments, step.outcome, step.error]).toEqual([input, outcome, error]);
  });

  const notFound = (text: string) => ({ error: { message: 'Error in agent run', data: { error: text } } });
  const UNKNOWN = notFound('ModelBehaviorError: Tool g not found in agent a.');
  const PYTHON = { error: { message: 'Tool not found', data: { tool_name: 'g' } } };

  it.each<[string, readonly object[], string]>([
    ['of the turn', [agent('a', UNKNOWN), turn('1', 'a'), tool('f1', '1'), turn('2', 'a', UNKNOWN)], '/data/4'],
    ['of the turn alone', [agent('a'), turn('1', 'a'), tool('f1', '1'), turn('2', 'a', UNKNOWN)], '/data/4'],
    ['of the agent', [agent('a', PYTHON), response('1', 'a'), tool('f1', 'a'), response('2', 'a')], '/data/4'],
  ])('of a tool that does not exist is known by the error %s', (_, spans, pointer) => {
    const calls = agentToolCalls(turnOf(...spans));
    expect(calls.map(({ name, outcome, arguments: args }) => [name, outcome, args])).toEqual([
      ['f', 'ok', {}],
      ['g', 'missing', ''],
    ]);
    expect(calls[1]?.pointer).toBe(pointer);
  });

  it('of a tool that does not exist counts once where the model’s request is recorded', () => {
    const output = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'g', arguments: '{"a":1}' } }],
      },
    ];
    const calls = agentToolCalls(turnOf(agent('a', PYTHON), generation('1', 'a', { input: [user('hi')], output })));
    expect(calls.map(({ name, outcome, arguments: args }) => [name, outcome, args])).toEqual([
      ['g', 'missing', { a: 1 }],
    ]);
  });

  it('of a tool that does not exist has nowhere to stand without a model', () => {
    expect(agentToolCalls(turnOf(agent('a', PYTHON), tool('f1', 'a'))).map(({ name }) => name)).toEqual(['f']);
  });
});

describe('a model’s call', () => {
  it('is one where a turn is recorded around it', () => {
    const spans = [
      agent('a'),
      turn('1', 'a'),
      generation('2', '1', {
        input: [user('hi')],
        output: [assistant('hello')],
        model: 'm',
        usage: { input_tokens: 4, output_tokens: 1 },
      }),
    ];
    expect(models(...spans)).toMatchObject([{ text: 'hello', model: 'm', usage: { inputTokens: 4 } }]);
    expect(models(agent('a'), turn('1', 'a'), response('2', '1'))).toMatchObject([
      { usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 1 } },
    ]);
  });

  it('may have failed', () => {
    const failed = { error: { message: 'Error getting response', data: { error: 'down' } } };
    expect(models(agent('a'), { ...generation('1', 'a', { input: [user('hi')] }), ...failed })).toMatchObject([
      { error: 'down' },
    ]);
  });
});

it('an agent that is a tool of another has its turns in a step, and one that takes over has none', () => {
  const sub = turnOf(
    agent('a'),
    generation('1', 'a', { input: [user('hi')], output: [assistant('wait')] }),
    tool('f1', 'a', { name: 'ask_b' }),
    agent('b', {}, 'f1'),
    generation('2', 'b', { input: [user('task')], output: [assistant('done')] }),
    generation('3', 'a', { input: [user('hi'), assistant('wait')], output: [assistant('bye')] }),
  );
  expect(sub.steps.map(({ type }) => type)).toEqual(['model', 'tool', 'agent', 'model']);
  const [step] = sub.steps.filter((step): step is AgentStep => step.type === 'agent');
  expect(step?.turns.map(({ input, output }) => [input, output])).toEqual([['task', 'done']]);
  expect(sub.output).toBe('bye');
  const handed = turnOf(
    agent('a'),
    generation('1', 'a', { input: [user('hi')], output: [assistant('over to b')] }),
    span('h', 'a', { type: 'handoff', from_agent: 'a', to_agent: 'b' }),
    agent('b'),
    generation('2', 'b', { input: [user('hi'), assistant('over to b')], output: [assistant('done')] }),
  );
  expect(handed.steps.map((step) => (step.type === 'model' ? step.speaker : step.type))).toEqual(['a', 'b']);
  expect([handed.input, handed.output]).toEqual(['hi', 'done']);
});

describe('a run that was stored', () => {
  const call = { type: 'function_call', callId: 'c', id: 'fc', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_result', callId: 'c', name: 'f', output: { type: 'text', text: 'x' } };
  const state = (more: object = {}) => ({
    $schemaVersion: '1.0',
    originalInput: 'hi',
    modelResponses: [{ output: [call], usage: { inputTokens: 5, outputTokens: 2 } }],
    generatedItems: [],
    ...more,
  });

  it('is the conversation so far, with what its tools gave back', () => {
    const session = onlySession(read(fixture('openai-agents-state.json')));
    expect([session.id, session.metadata]).toEqual(['conv_42', { agent: 'Support agent' }]);
    const only = turnAt(session, 0);
    expect([only.input, only.inputPointer, only.output]).toEqual([
      'Please refund order A-1001.',
      '/originalInput',
      'Your refund of $42.50 for order A-1001 was issued.',
    ]);
    expect(
      agentToolCalls(only).map(({ outcome, pointer, resultPointer }) => [outcome, pointer, resultPointer]),
    ).toEqual(
      ['ok', 'error', 'ok', 'error', 'ok'].map((outcome, index) => [
        outcome,
        `/modelResponses/${index}/output/0`,
        `/generatedItems/${index * 2 + 1}/rawItem/output/text`,
      ]),
    );
    expect(only.steps[0]).toMatchObject({ speaker: 'Support agent', usage: { inputTokens: 120, outputTokens: 20 } });
  });

  it.each<[string, object, string]>([
    ['waits for a person', { generatedItems: [{ type: 'tool_approval_item', rawItem: call }] }, 'missing'],
    [
      'was not allowed',
      {
        generatedItems: [
          { type: 'tool_call_output_item', rawItem: { ...output, output: 'Tool execution was not approved.' } },
        ],
      },
      'rejected',
    ],
    [
      'ran',
      {
        generatedItems: [
          { type: 'tool_call_item', rawItem: call },
          { type: 'tool_call_output_item', rawItem: output },
        ],
      },
      'ok',
    ],
  ])('has a call that %s', (_, more, outcome) => {
    const reading = openAiAgents.read(json(state(more)));
    expect(agentToolCalls(turnAt(onlySession(reading), 0)).map((step) => step.outcome)).toEqual([outcome]);
    expect(reading.problems).toEqual([]);
  });

  it('may have items as input, and be written as Python prints it', () => {
    const python = {
      $schemaVersion: '1.0',
      original_input: [
        user('hi'),
        { ...call, call_id: 'old' },
        { type: 'function_call_output', call_id: 'old', output: 'y' },
        user('and?'),
      ],
      model_responses: [{ output: [{ ...call, callId: undefined, call_id: 'c' }] }],
      generated_items: [
        {
          type: 'tool_call_output_item',
          raw_item: { type: 'function_call_output', call_id: 'c', output: 'x' },
          agent: { name: 'b' },
        },
      ],
      current_agent: { name: 'b' },
    };
    const session = onlySession(read(json(python)));
    expect(session.turns.map((turn) => [turn.input, agentToolCalls(turn).map(({ result }) => result)])).toEqual([
      ['hi', ['y']],
      ['and?', ['x']],
    ]);
  });

  it('may stand beside others, each a session', () => {
    const reading = openAiAgents.read(jsonLines([state(), state({ conversationId: 'c' })]));
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['some-0', '/0'],
      ['c', '/1'],
    ]);
  });

  it.each<[string, object]>([
    ['no version', { $schemaVersion: 1 }],
    ['no input', { originalInput: 5 }],
    ['no responses', { modelResponses: {} }],
  ])('is none with %s', (_, more) => {
    expect(openAiAgents.detect(json(state(more)))).toBeNull();
  });
});
