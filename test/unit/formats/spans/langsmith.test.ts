import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { langSmith } from '../../../../src/formats/spans/langsmith.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

let clock = 0;
const run = (type: string, more: object = {}) => {
  clock += 1;
  return {
    id: `run-${clock}`,
    name: type,
    run_type: type,
    trace_id: 'trace',
    start_time: `2026-01-05T10:00:00.${String(clock).padStart(6, '0')}`,
    end_time: '2026-01-05T10:00:01',
    inputs: {},
    outputs: null,
    error: null,
    ...more,
  };
};
const input = { messages: [{ role: 'user', content: 'hi' }] };
const answered = { choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }] };
const calls = (...requests: readonly (readonly [id: string, name: string, args: object])[]) => ({
  generations: [
    [
      {
        text: '',
        message: {
          type: 'ai',
          content: '',
          tool_calls: requests.map(([id, name, args]) => ({ type: 'tool_call', id, name, args })),
        },
      },
    ],
  ],
});
const llm = (more: object = {}) => run('llm', { inputs: input, outputs: answered, ...more });
const only = (...runs: readonly unknown[]) => turnAt(onlySession(langSmith.read(json(runs))), 0);

describe('sessions', () => {
  it.each<[string, object, string]>([
    ['session_id', { session_id: 'conversation' }, 'conversation'],
    ['conversation_id', { conversation_id: 'conversation' }, 'conversation'],
    ['thread_id', { thread_id: 'conversation' }, 'conversation'],
    ['nothing', { langgraph_node: 'agent' }, 'trace'],
  ])('are named by %s of the metadata, and never by the project', (_, metadata, id) => {
    const project = { session_id: '5f0c2a3e', session_name: 'demo' };
    expect(onlySession(langSmith.read(json([llm({ ...project, extra: { metadata } })]))).id).toBe(id);
    expect(onlySession(langSmith.read(json([llm({ ...project, extra: JSON.stringify({ metadata }) })]))).id).toBe(id);
  });

  it('join traces in the order of their start, independently of their order in the file', () => {
    const session = onlySession(read(fixture('langsmith-trees.json')));
    expect(session).toMatchObject({ id: 'conv_42', system: 'You refund orders.', source: { pointer: '/1' } });
    expect(session.turns.map(({ pointer }) => pointer)).toEqual(['/1', '/0']);
    expect(session.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
  });

  it('hold what people and evaluators gave a turn', () => {
    const feedback = { correctness: { n: 2, avg: 0.5 }, note: { n: 1, avg: null }, '': { n: 1, avg: 1 } };
    expect(only(llm({ feedback_stats: feedback })).scores).toEqual({ correctness: 0.5 });
  });
});

describe('runs', () => {
  const tree = (child: object) => ({
    ...run('chain', { inputs: input, outputs: { output: 'hello' } }),
    child_runs: [child],
  });

  it.each<[string, unknown]>([
    ['nested', tree(llm())],
    ['in a list', [llm()]],
    ['with an id of another name', [{ ...llm(), id: undefined, run_id: 'r' }]],
    ['in a page of the API', { runs: [llm()], cursors: { next: null } }],
    ['in a batch', { post: [{ ...llm(), outputs: {} }], patch: [] }],
  ])('%s', (_, value) => {
    const reading = read(json(value));
    expect(reading.sessions[0]).toMatchObject({ source: { format: 'langsmith' }, turns: [{ input: 'hi' }] });
    expect(reading.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each<[string, (outer: object, inner: object) => readonly unknown[]]>([
    ['their nesting', (outer, inner) => [{ ...outer, child_runs: [inner] }]],
    ['the id of their parent', (outer, inner) => [outer, { ...inner, parent_run_id: 'tool' }]],
    [
      'their path',
      (outer, inner) => [
        { ...outer, dotted_order: '20260105T100000000001Ztool' },
        { ...inner, dotted_order: '20260105T100000000001Ztool.20260105T100000000002Zmodel' },
      ],
    ],
  ])('are placed by %s', (_, place) => {
    const turn = only(...place(run('tool', { id: 'tool', name: 'f', outputs: { output: 'x' } }), llm({ id: 'model' })));
    expect(turn.steps).toMatchObject([{ type: 'tool' }, { type: 'agent', name: 'f', turns: [{ output: 'hello' }] }]);
  });

  it('that are both nested and listed count once', () => {
    const child = { ...llm(), parent_run_id: 'root' };
    const root = { ...tree(child), id: 'root' };
    const turn = only(root, child);
    expect(turn.steps.map(({ type }) => type)).toEqual(['model']);
    expect(turn.output).toBe('hello');
  });

  it('are one if a batch posts them and adds the rest on any later line', () => {
    const began = { ...llm(), outputs: {}, end_time: null };
    const ended = { id: began.id, trace_id: 'trace', dotted_order: '', outputs: answered, end_time: 1_767_607_200_000 };
    const session = onlySession(langSmith.read(jsonLines([{ post: [began] }, undefined, { patch: [ended] }])));
    expect(session.turns[0]).toMatchObject({
      input: 'hi',
      inputPointer: '/0/post/0/inputs/messages/0/content',
      output: 'hello',
      outputPointer: '/2/patch/0/outputs/choices/0/message/content',
      endedAt: '2026-01-05T10:00:00.000Z',
    });
  });

  it('are in the order that their path says, to the microsecond', () => {
    const path = (micros: string, id: string) => `20260105T100000${micros}Z${id}`;
    const root = run('chain', { id: 'r', inputs: input, dotted_order: path('000001', 'r') });
    const second = llm({
      id: 'b',
      dotted_order: `${path('000001', 'r')}.${path('000003', 'b')}`,
      outputs: { output: 'two' },
    });
    const first = llm({
      id: 'a',
      dotted_order: `${path('000001', 'r')}.${path('000002', 'a')}`,
      outputs: { output: 'one' },
    });
    const turn = only(second, first, root);
    expect(turn.steps.map((step) => step.type === 'model' && [step.text, step.startedAt])).toEqual([
      ['one', '2026-01-05T10:00:00.000002Z'],
      ['two', '2026-01-05T10:00:00.000003Z'],
    ]);
    expect([turn.pointer, turn.output]).toEqual(['/2', 'two']);
  });

  it('that say no zone are in UTC', () => {
    expect(only(llm({ start_time: '2026-01-05T10:00:00.5' })).startedAt).toBe('2026-01-05T10:00:00.5Z');
    expect(only(llm({ start_time: '2026-01-05T10:00:00+02:00' })).startedAt).toBe('2026-01-05T10:00:00+02:00');
  });

  it('without an id are left out', () => {
    const reading = langSmith.read(json([llm(), { run_type: 'llm', inputs: input }, 5]));
    expect(codes(reading)).toEqual(['warning not-a-run', 'warning not-a-run']);
    expect(reading.problems.map(({ pointer }) => pointer)).toEqual(['/1', '/2']);
  });

  it('of parsers, prompts and embeddings, and the steps of a graph, are no steps', () => {
    const noise = ['prompt', 'parser', 'embedding', 'chain'].map((type) =>
      run(type, { parent_run_id: 'root', inputs: input, outputs: { output: 'noise' } }),
    );
    const turn = only(run('chain', { id: 'root', inputs: input, outputs: { output: 'hello' } }), ...noise, {
      ...llm(),
      parent_run_id: 'root',
    });
    expect(turn.steps.map(({ type }) => type)).toEqual(['model']);
  });

  it('as a table export has them: payloads as JSON', () => {
    const row = { ...llm(), inputs: JSON.stringify(input), outputs: JSON.stringify(answered) };
    expect(only(row)).toMatchObject({
      input: 'hi',
      inputPointer: '/0/inputs',
      output: 'hello',
      outputPointer: '/0/outputs',
    });
  });
});

describe('a model', () => {
  it.each<[string, object, object]>([
    ['the metadata', { extra: { metadata: { ls_model_name: 'm' } } }, { model: 'm' }],
    ['the parameters', { extra: { invocation_params: { model_name: 'm' } } }, { model: 'm' }],
    [
      'the response of the SDK',
      { outputs: { ...answered, usage_metadata: { input_tokens: 3, output_tokens: 4 } } },
      { finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 4 } },
    ],
    [
      'the output of LangChain',
      { outputs: { ...answered, llm_output: { token_usage: { prompt_tokens: 3, completion_tokens: 4 } } } },
      { usage: { inputTokens: 3, outputTokens: 4 } },
    ],
    ['the run', { prompt_tokens: 3, completion_tokens: 4 }, { usage: { inputTokens: 3, outputTokens: 4 } }],
  ])('is described by %s', (_, more, step) => {
    expect(only(llm(more)).steps[0]).toMatchObject({ type: 'model', ...step });
  });

  it('of plain text has a prompt and a text', () => {
    const plain = { inputs: { prompts: ['hi'] }, outputs: { generations: [[{ text: 'hello' }]] } };
    expect(only(llm(plain))).toMatchObject({
      input: 'hi',
      inputPointer: '/0/inputs/prompts/0',
      output: 'hello',
      outputPointer: '/0/outputs/generations/0/0/text',
    });
  });

  it('that failed says why, without the stack of its program', () => {
    const failed = (error: string) => {
      const [step] = only(llm({ outputs: null, error })).steps;
      return step?.type === 'model' ? step.error : undefined;
    };
    expect(failed('503 overloaded\n\nError: 503 overloaded\n    at call (a.js:1:2)\n    at b (c.js:3:4)')).toBe(
      '503 overloaded',
    );
    expect(failed("RateLimitError('slow down')Traceback (most recent call last):\n  File")).toBe(
      "RateLimitError('slow down')",
    );
    expect(failed('just\n\nthis')).toBe('just\n\nthis');
    expect(only(llm({ outputs: null, status: 'error' })).steps[0]).toMatchObject({
      error: expect.stringMatching(/"error"/),
    });
  });
});

describe('a tool', () => {
  const tool = (more: object) => run('tool', { name: 'f', ...more });
  const message = { type: 'tool', content: 'done', name: 'f', tool_call_id: 'c2', status: 'success' };

  it.each<[string, unknown, unknown]>([
    ['a text of all', { input: '{"a": 1}' }, { a: 1 }],
    ['an object of all', { input: { a: 1 } }, { a: 1 }],
    ['the request', { type: 'tool_call', id: 'c1', name: 'f', args: { a: 1 } }, { a: 1 }],
    ['as it is called', { a: 1 }, { a: 1 }],
    ['with an argument of the same name', { input: 'x', k: 1 }, { input: 'x', k: 1 }],
    ['a text of Python', { input: "{'a': 1}" }, { a: 1 }],
    ['a text that is none', { input: 'order A-1001' }, 'order A-1001'],
  ])('is called with %s', (_, inputs, input) => {
    expect(callAt(only(tool({ inputs, outputs: { output: 'done' } })), 0).arguments).toEqual(input);
  });

  it.each<[string, unknown, unknown, string]>([
    ['a text', { output: 'done' }, 'done', '/0/outputs/output'],
    ['a message', { output: message }, 'done', '/0/outputs/output/content'],
    ['an object', { rows: 3 }, { rows: 3 }, '/0/outputs'],
    ['an object with more than an output', { output: 'x', rows: 3 }, { output: 'x', rows: 3 }, '/0/outputs'],
    ['messages, which are its own affair', { output: [message, message] }, [message, message], '/0/outputs/output'],
    ['JSON', '{"output": "done"}', 'done', '/0/outputs'],
  ])('returns %s', (_, outputs, value, pointer) => {
    expect(callAt(only(tool({ inputs: {}, outputs })), 0)).toMatchObject({
      result: value,
      resultPointer: pointer,
      outcome: 'ok',
    });
  });

  it('completes the request that it answers: by id, else by its arguments', () => {
    const turn = only(
      llm({ outputs: calls(['c1', 'f', { a: 1 }], ['c2', 'f', { a: 2 }], ['c3', 'f', { a: 3 }], ['c4', 'g', {}]) }),
      tool({ inputs: { input: '{"a": 3}' }, outputs: { output: 'third' } }),
      tool({ inputs: { input: '{}' }, outputs: { output: message } }),
      tool({ inputs: { input: '{"a": 1}' }, error: 'no\n\nError: no\n    at x (y.js:1:1)' }),
    );
    expect(agentToolCalls(turn).map(({ id, result, error, outcome }) => [id, result, error, outcome])).toEqual([
      ['c1', undefined, 'no', 'error'],
      ['c2', 'done', undefined, 'ok'],
      ['c3', 'third', undefined, 'ok'],
      ['c4', undefined, undefined, 'missing'],
    ]);
  });

  it('completes the request whose id it was called with', () => {
    const turn = only(
      llm({ outputs: calls(['c1', 'f', { a: 1 }], ['c2', 'f', { a: 1 }]) }),
      tool({ inputs: { type: 'tool_call', id: 'c2', name: 'f', args: { a: 1 } }, outputs: { output: 'second' } }),
    );
    expect(agentToolCalls(turn).map(({ id, result }) => [id, result])).toEqual([
      ['c1', undefined],
      ['c2', 'second'],
    ]);
  });

  it('that returns a message with an error failed', () => {
    expect(callAt(only(tool({ outputs: { output: { ...message, status: 'error' } } })), 0)).toMatchObject({
      outcome: 'error',
      error: 'done',
    });
  });

  it('that runs a model is an agent of its own', () => {
    const turn = only(
      run('chain', { id: 'root', inputs: input, outputs: { output: 'hello' } }),
      llm({ parent_run_id: 'root', outputs: calls(['c1', 'f', { a: 1 }]) }),
      tool({ id: 'sub', parent_run_id: 'root', inputs: { input: '{"a": 1}' }, outputs: { output: 'done' } }),
      llm({
        parent_run_id: 'sub',
        inputs: { messages: [{ role: 'user', content: 'a task' }] },
        outputs: { output: 'inner' },
      }),
      llm({ parent_run_id: 'root', outputs: { output: 'hello' } }),
    );
    expect(turn.steps.map(({ type }) => type)).toEqual(['model', 'tool', 'agent', 'model']);
    expect(turn.steps[2]).toMatchObject({ name: 'f', turns: [{ input: 'a task', output: 'inner' }] });
    expect(turn.output).toBe('hello');
  });
});

it('a retriever is a retrieval', () => {
  const documents = [
    { page_content: 'one', metadata: { score: 0.5, id: 'd1' }, type: 'Document' },
    { lc: 1, type: 'constructor', id: ['Document'], kwargs: { page_content: 'two' } },
    'three',
    { pageContent: 'four' },
  ];
  const turn = only(
    run('chain', { id: 'root', inputs: { question: 'hi' }, outputs: { output: 'hello' } }),
    run('retriever', { parent_run_id: 'root', inputs: { query: 'q' }, outputs: { documents } }),
  );
  expect(turn).toMatchObject({ input: 'hi', output: 'hello' });
  expect(turn.steps).toMatchObject([
    {
      type: 'retrieval',
      query: 'q',
      documents: [{ id: 'd1', text: 'one', score: 0.5 }, { text: 'two' }, { text: 'three' }, { text: 'four' }],
    },
  ]);
});

it('runs without recorded text are not an empty conversation', () => {
  const reading = langSmith.read(json([run('chain', { id: 'root' }), run('llm', { parent_run_id: 'root' })]));
  expect(turnAt(onlySession(reading), 0)).toMatchObject({ input: null, output: null, captured: false });
  expect(codes(reading)).toEqual(['warning no-content']);
});

it.each<[string, unknown]>([
  ['a table with types of runs', [{ id: 'a', run_type: 'nightly', inputs: {} }]],
  ['a plan of runs', { run_type: 'llm', id: 'a' }],
  ['a web request', { post: [{ id: 'a', title: 'x' }], patch: [] }],
  ['an empty batch', { post: [], patch: [] }],
])('%s is none of it', (_, value) => {
  expect(langSmith.detect(json(value))).toBeNull();
});
