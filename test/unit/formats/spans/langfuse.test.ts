import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { langfuse } from '../../../../src/formats/spans/langfuse.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

let clock = 0;
const observation = (type: string, more: object = {}) => {
  clock += 1;
  return {
    id: `o${clock}`,
    traceId: 'trace',
    parentObservationId: null,
    type,
    name: type.toLowerCase(),
    startTime: `2026-01-05T10:00:00.${String(clock).padStart(3, '0')}Z`,
    endTime: '2026-01-05T10:00:01.000Z',
    level: 'DEFAULT',
    input: null,
    output: null,
    ...more,
  };
};
const trace = (more: object = {}) => ({
  id: 'trace',
  timestamp: '2026-01-05T10:00:00.000Z',
  projectId: 'p',
  sessionId: null,
  userId: null,
  tags: [],
  input: null,
  output: null,
  ...more,
});
const messages = [{ role: 'user', content: 'hi' }];
const generation = (more: object = {}) => observation('GENERATION', { input: messages, output: 'hello', ...more });
const calls = (...requests: readonly (readonly [id: string, name: string, args: object])[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: requests.map(([id, name, args]) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })),
});
const only = (...observations: readonly unknown[]) => turnAt(onlySession(langfuse.read(json({ observations }))), 0);

describe('sessions', () => {
  it.each<[string, object, string]>([
    ['of the trace', { trace: trace({ sessionId: 's' }), observations: [generation()] }, 's'],
    ['of the observation, where there is no trace', { observations: [generation({ sessionId: 's' })] }, 's'],
    ['of the session that the trace is in', { id: 's', traces: [trace({ observations: [generation()] })] }, 's'],
    ['of the thread', { observations: [generation({ metadata: { thread_id: 's' } })] }, 's'],
    ['of the thread, as JSON', { observations: [generation({ metadata: '{"thread_id":"s"}' })] }, 's'],
    [
      'of the span that it was',
      { observations: [generation({ metadata: '{"attributes":{"gen_ai.conversation.id":"s"}}' })] },
      's',
    ],
    ['of the trace itself, where there is none', { observations: [generation()] }, 'trace'],
  ])('have the id %s', (_, value, id) => {
    expect(onlySession(read(json(value))).id).toBe(id);
  });

  it('join traces in the order of their start, and keep the user', () => {
    const session = onlySession(read(fixture('langfuse-traces.jsonl')));
    expect(session).toMatchObject({
      id: 'conv_42',
      system: 'You refund orders.',
      metadata: { user_id: 'u1' },
      source: { pointer: '/1' },
    });
    expect(session.turns.map(({ pointer }) => pointer)).toEqual(['/1', '/0']);
    expect(session.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
  });

  it('hold the scores of their traces and of the models in them', () => {
    const [first, second] = onlySession(read(fixture('langfuse-traces.jsonl'))).turns;
    expect([first?.scores, second?.scores]).toEqual([{ helpfulness: 0.8 }, { tone: 'kind' }]);
    const value = {
      observations: [generation({ id: 'g' })],
      scores: [
        { traceId: 'trace', observationId: null, name: 'kind', value: 0.5 },
        { traceId: 'trace', observationId: 'g', name: 'right', value: 1 },
        { traceId: 'trace', observationId: 'g', name: '', value: 1 },
        { traceId: 'trace', observationId: 'g', name: 'nothing', value: null },
      ],
    };
    expect(turnAt(onlySession(read(json(value))), 0).scores).toEqual({ kind: 0.5, right: 1 });
    const whole = { trace: trace({ input: 'hi' }), ...value };
    expect(turnAt(onlySession(read(json(whole))), 0).scores).toEqual({ kind: 0.5, right: 1 });
  });
});

describe('an export', () => {
  it('that writes observations twice is read where they have content', () => {
    const bare = generation({ id: 'g', input: null, output: null });
    const full = generation({ id: 'g' });
    for (const value of [
      { trace: trace({ observations: [bare] }), observations: [full] },
      { trace: trace({ observations: [full] }), observations: [bare] },
    ]) {
      expect(onlySession(read(json(value))).turns).toMatchObject([{ input: 'hi', output: 'hello' }]);
    }
  });

  it('may have the input as JSON in JSON, and only at the trace', () => {
    const value = {
      trace: trace({ input: JSON.stringify(JSON.stringify('hi')), output: JSON.stringify('hello') }),
      observations: [observation('SPAN')],
    };
    expect(onlySession(read(json(value))).turns).toMatchObject([
      { input: 'hi', inputPointer: '/trace/input', output: 'hello', outputPointer: '/trace/output' },
    ]);
  });

  it('may have the input as the argument of a function', () => {
    const input = JSON.stringify({ args: ['hi', 5], kwargs: {} });
    expect(only(generation({ input }))).toMatchObject({ input: 'hi', inputPointer: '/observations/0/input' });
    expect(only(generation({ input: { args: ['hi'] } })).inputPointer).toBe('/observations/0/input/args/0');
  });

  it.each<[string, unknown]>([
    ['a list of observations', [generation()]],
    ['a page of observations', { data: [generation()], meta: { cursor: 'x' } }],
    [
      'a page of traces, which name their observations',
      { data: [trace({ input: 'hi', output: 'hello', observations: ['o1'] })] },
    ],
    ['rows of traces', [trace({ input: 'hi', output: 'hello' })]],
    ['a trace of the API', trace({ htmlPath: '/x', observations: [generation()], scores: [] })],
  ])('may be %s', (_, value) => {
    const reading = read(json(value));
    expect(reading.sessions[0]).toMatchObject({
      source: { format: 'langfuse' },
      turns: [{ input: 'hi', output: 'hello' }],
    });
    expect(reading.problems).toEqual([]);
  });

  it('of rows on lines keeps the numbers of lines', () => {
    const reading = read(
      jsonLines([generation({ trace_id: 'a', traceId: undefined }), undefined, generation({ traceId: 'b' })]),
    );
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['a', '/0'],
      ['b', '/2'],
    ]);
  });

  it('with something else in it tells so', () => {
    const reading = langfuse.read(json([generation(), 5, 'x']));
    expect(codes(reading)).toEqual(['warning not-a-trace', 'warning not-a-trace']);
    expect(codes(langfuse.read(json({ id: 'a' })))).toEqual(['error no-session']);
  });
});

describe('observations', () => {
  it('are what they say, or what the spans were that they began as', () => {
    const attributes = (more: object) => ({ metadata: JSON.stringify({ attributes: more }) });
    const turn = only(
      generation({ output: calls(['c1', 'f', {}], ['c2', 'g', {}], ['c3', 'h', {}]) }),
      observation('TOOL', { name: 'f', input: '{}', output: 'one' }),
      observation('SPAN', { name: 'tool.g', output: 'two', ...attributes({ 'gen_ai.tool.name': 'g' }) }),
      observation('SPAN', {
        name: 'h',
        input: "{'a': 1}",
        output: JSON.stringify({ type: 'tool', content: 'three', name: 'h', tool_call_id: 'c3' }),
      }),
      observation('SPAN', { name: 'h', output: 'no tool' }),
      observation('EVENT'),
      observation('GUARDRAIL'),
      observation('EMBEDDING'),
      generation({ output: 'done' }),
    );
    expect(turn.steps.map((step) => (step.type === 'tool' ? step.result : step.type))).toEqual([
      'model',
      'one',
      'two',
      'three',
      'model',
    ]);
  });

  it('of LangChain’s tools were spans once, which return a message about their result', () => {
    const message = JSON.stringify({ type: 'tool', content: 'done', name: 'f', tool_call_id: 'c1' });
    const turn = only(
      observation('CHAIN', { id: 'root', input: messages, output: 'hello' }),
      generation({ parentObservationId: 'root', output: calls(['c1', 'f', { a: 1 }]) }),
      observation('SPAN', { parentObservationId: 'root', name: 'f', input: "{'a': 1}", output: message }),
      observation('SPAN', { parentObservationId: 'root', name: 'tools', input: "{'a': 1}", output: message }),
    );
    expect(agentToolCalls(turn)).toMatchObject([{ id: 'c1', name: 'f', result: 'done', outcome: 'ok' }]);
  });

  it('of a model inside a model are one call', () => {
    const turn = only(
      generation({ id: 'outer', output: 'hello' }),
      generation({ parentObservationId: 'outer', output: 'hello' }),
    );
    expect(turn.steps).toHaveLength(1);
  });

  it('say what is missing where the attributes of the span have it', () => {
    const metadata = {
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'f',
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.call.arguments': '{"a":1}',
        'gen_ai.tool.call.result': 'done',
      },
    };
    const turn = only(generation(), observation('TOOL', { name: 'execute_tool f', input: '{}', output: {}, metadata }));
    expect(callAt(turn, 0)).toMatchObject({
      id: 'c1',
      name: 'f',
      arguments: { a: 1 },
      result: 'done',
      resultPointer: '/observations/1/metadata/attributes/gen_ai.tool.call.result',
    });
  });

  it('that failed say why', () => {
    const turn = only(
      generation({ output: calls(['c1', 'f', {}]) }),
      observation('TOOL', { name: 'f', level: 'ERROR', statusMessage: 'no such order' }),
      generation({ level: 'ERROR', output: null }),
      observation('TOOL', { name: 'g', level: 'WARNING', output: 'Error: late' }),
    );
    expect(agentToolCalls(turn).map(({ outcome, error }) => [outcome, error])).toEqual([
      ['error', 'no such order'],
      ['error', 'Error: late'],
    ]);
    expect(turn.steps[2]).toMatchObject({ error: 'The observation has the level ERROR and no message.' });
  });

  it('that retrieve have documents', () => {
    const turn = only(
      observation('RETRIEVER', {
        input: { query: 'q' },
        output: [
          { page_content: 'one', metadata: {} },
          { text: 'two', score: 0.5 },
        ],
      }),
      generation(),
    );
    expect(turn.steps[0]).toMatchObject({
      type: 'retrieval',
      query: 'q',
      documents: [{ text: 'one' }, { text: 'two', score: 0.5 }],
    });
  });

  it('of agents say who speaks', () => {
    const turn = only(observation('AGENT', { id: 'a', name: 'billing' }), generation({ parentObservationId: 'a' }));
    expect(turn.steps[0]).toMatchObject({ type: 'model', speaker: 'billing' });
  });
});

describe('a generation', () => {
  it('has its model and tokens', () => {
    const usageDetails = { input: 5, input_cached_tokens: 3, output: 4, output_reasoning_tokens: 2, total: 14 };
    expect(only(generation({ model: 'm', usageDetails })).steps[0]).toMatchObject({
      model: 'm',
      usage: { inputTokens: 8, outputTokens: 4, cachedTokens: 3, reasoningTokens: 2 },
    });
    expect(only(generation({ usageDetails: {} })).steps[0]).not.toHaveProperty('usage', expect.anything());
  });

  it.each<[object, number | undefined]>([
    [{ costDetails: { input: 0.01, output: 0.02, total: 0.03 } }, 0.03],
    [{ costDetails: {}, totalCost: 0.04 }, 0.04],
    [{ calculatedTotalCost: 0.05 }, 0.05],
    // Langfuse writes 0 for a model without a price.
    [{ costDetails: {}, totalCost: 0 }, undefined],
    [{}, undefined],
  ])('has its cost: %j', (parts, cost) => {
    const step = only(generation({ usageDetails: { input: 5, output: 4 }, ...parts })).steps[0];
    expect(step?.type === 'model' ? step.usage?.cost : null).toBe(cost);
  });

  it.each<[string, object]>([
    ['its definitions', { toolDefinitions: { f: '{"description":"d","parameters":{"type":"object"}}' } }],
    ['the metadata', { metadata: { tools: ['{"name":"f","description":"d","inputSchema":{"type":"object"}}'] } }],
    [
      'the request',
      {
        input: JSON.stringify({
          messages,
          tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
        }),
      },
    ],
    [
      'the response',
      {
        output: {
          object: 'response',
          output: [{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }],
          tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
        },
      },
    ],
  ])('has the tools of %s', (_, more) => {
    const { tools } = onlySession(langfuse.read(json({ observations: [generation(more)] })));
    expect(tools).toEqual([{ name: 'f', description: 'd', inputSchema: { type: 'object' } }]);
  });

  it.each<[string, unknown]>([
    ['Anthropic', { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }] }],
    ['the AI SDK', [{ toolCallId: 'c1', toolName: 'f', input: '{"a":1}' }]],
    [
      'OpenAI Responses',
      { object: 'response', output: [{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }] },
    ],
    [
      'LangChain',
      { role: 'assistant', content: '', additional_kwargs: { tool_calls: calls(['c1', 'f', { a: 1 }]).tool_calls } },
    ],
  ])('requests calls in the dialect of %s, also in a string', (_, output) => {
    for (const value of [output, JSON.stringify(output)]) {
      expect(agentToolCalls(only(generation({ output: value })))).toMatchObject([
        { id: 'c1', name: 'f', arguments: { a: 1 }, outcome: 'missing' },
      ]);
    }
  });
});

it.each<[string, unknown, unknown]>([
  ['a text', 'done', 'done'],
  ['JSON as it is written', '{"a": 1}', '{"a": 1}'],
  ['an object', { a: 1 }, { a: 1 }],
  [
    'the parts of MCP',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'a\nb',
  ],
  ['parts that are not all text', { content: [{ type: 'image' }] }, { content: [{ type: 'image' }] }],
])('a tool returns %s', (_, output, value) => {
  expect(callAt(only(generation(), observation('TOOL', { name: 'f', output })), 0).result).toEqual(value);
});

it('a tool may be recorded with its arguments as Python writes them', () => {
  const turn = only(generation(), observation('TOOL', { name: 'f', input: "{'a': [True, None]}", output: 'done' }));
  expect(callAt(turn, 0).arguments).toEqual({ a: [true, null] });
});

it('a trace without recorded content is not an empty conversation', () => {
  const reading = langfuse.read(json({ trace: trace(), observations: [observation('GENERATION')] }));
  expect(turnAt(onlySession(reading), 0)).toMatchObject({ input: null, output: null, captured: false });
  expect(codes(reading)).toEqual(['warning no-content']);
});

it.each<[string, unknown]>([
  ['log lines with ids and times', [{ id: 'a', timestamp: '2026-01-01T00:00:00Z', input: 'x', level: 'info' }]],
  ['events of another kind', [{ id: 'a', type: 'EVENT', name: 'x' }]],
  ['an astronomer’s observations', { observations: [{ id: 'a', star: 'Vega' }] }],
  ['a page of something else', { data: [{ id: 'a', object: 'trace.span' }] }],
  ['a session of something else', { id: 'a', traces: [{ id: 'b' }] }],
])('%s are none of it', (_, value) => {
  expect(langfuse.detect(json(value))).toBeNull();
});
