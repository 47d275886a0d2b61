import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { pandaProbe } from '../../../../src/formats/spans/pandaprobe.ts';
import {
  callAt,
  codes,
  fixture,
  json,
  jsonLines,
  onlySession,
  pointersOf,
  read,
  resolve,
  turnAt,
} from '../read-fixture.ts';

let spanCount = 0;
const span = (kind: string, more: object = {}) => ({
  span_id: `s${spanCount++}`,
  name: kind,
  kind,
  status: 'OK',
  input: null,
  output: null,
  ...more,
});
const trace = (more: object = {}) => ({
  trace_id: 'a',
  status: 'COMPLETED',
  input: 'hi',
  output: 'hello',
  spans: [span('AGENT')],
  ...more,
});
const only = (more: object) => turnAt(onlySession(pandaProbe.read(json(trace(more)))), 0);

describe('sessions', () => {
  it('join the traces of one session id in the order of their start', () => {
    const session = onlySession(read(fixture('pandaprobe-traces.json')));
    expect(session.turns.map(({ id, pointer }) => [id.slice(-1), pointer])).toEqual([
      ['1', '/1'],
      ['2', '/0'],
    ]);
    expect(session).toMatchObject({
      id: 'conv_42',
      source: { pointer: '/1' },
      system: 'You refund orders.',
      metadata: { environment: 'test', release: 'v2', tags: ['demo'] },
    });
  });

  it('are traces of their own where there is no session id', () => {
    const reading = read(jsonLines([trace({ trace_id: 'a' }), undefined, trace({ trace_id: 'b', session_id: null })]));
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['a', '/0'],
      ['b', '/2'],
    ]);
  });

  it('say when a trace is there twice', () => {
    const reading = read(json([trace({ session_id: 's' }), trace({ session_id: 's' })]));
    expect(onlySession(reading).turns.map(({ id }) => id)).toEqual(['a', 'a#2']);
    expect(codes(reading)).toEqual(['warning duplicate-turn-id']);
  });
});

describe('the input and output of a trace', () => {
  const history = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'old' },
    { role: 'assistant', content: 'older' },
    { role: 'user', content: 'new' },
    { role: 'user', content: 'newer' },
  ];
  it.each<[string, unknown, string | null, string | undefined]>([
    ['a text', 'hi', 'hi', '/input'],
    ['messages', { messages: [{ role: 'user', content: 'hi' }] }, 'hi', '/input/messages/0/content'],
    ['a list of messages', [{ role: 'user', content: 'hi' }], 'hi', '/input/0/content'],
    ['a history, of which only the end is new', { messages: history }, 'new\n\nnewer', '/input/messages/3/content'],
    ['a text with a name', { query: 'hi', k: 3 }, 'hi', '/input/query'],
    ['an object of its own', { url: 's3://a', fields: ['b'] }, '{"fields":["b"],"url":"s3://a"}', '/input'],
    ['nothing', null, null, undefined],
  ])('%s', (_, input, text, pointer) => {
    const turn = only({ input });
    expect([turn.input, turn.inputPointer]).toEqual([text, pointer]);
  });

  it.each<[string, unknown, string | null, string | undefined]>([
    ['a text', 'hi', 'hi', '/output'],
    [
      'messages, of which the last counts',
      { messages: [...history, { role: 'assistant', content: 'hi' }] },
      'hi',
      '/output/messages/5/content',
    ],
    ['a message', { role: 'assistant', content: 'hi' }, 'hi', '/output/content'],
    [
      'a completion',
      { choices: [{ message: { role: 'assistant', content: 'hi' } }] },
      'hi',
      '/output/choices/0/message/content',
    ],
    ['a text with a name', { answer: 'hi', confidence: 1 }, 'hi', '/output/answer'],
    ['an object of its own', { intent: 'x' }, '{"intent":"x"}', '/output'],
    ['nothing', null, null, undefined],
    ['an empty text', '', null, undefined],
  ])('%s', (_, output, text, pointer) => {
    const turn = only({ output });
    expect([turn.output, turn.outputPointer]).toEqual([text, pointer]);
  });
});

describe('steps', () => {
  it('are models, tools and retrievals in the order of their start, with their errors, times and tokens', () => {
    const turn = turnAt(onlySession(read(fixture('pandaprobe-traces.json'))), 0);
    expect(turn.steps.map((step) => (step.type === 'tool' ? step.name : step.type))).toEqual([
      ...[
        'model',
        'get_order',
        'model',
        'refund_order',
        'model',
        'get_order',
        'model',
        'cancel_order',
        'model',
        'refund_order',
      ],
      'model',
    ]);
    expect(turn.steps[0]).toMatchObject({ model: 'gpt-4o', usage: { inputTokens: 100, outputTokens: 10 } });
    expect(callAt(turn, 1)).toMatchObject({
      id: 'call_2',
      outcome: 'error',
      error: 'Error: amount exceeds order total 42.50',
      result: undefined,
      startedAt: '2026-02-23T10:00:04.000Z',
    });
    expect(turnAt(onlySession(read(fixture('pandaprobe-traces.json'))), 1).steps[0]).toMatchObject({
      type: 'retrieval',
      query: 'refund time',
      documents: [{ id: 'faq-7', text: 'Refunds arrive within 5 business days.', score: 0.9 }],
    });
  });

  it('are in the order of their start, wherever their spans stand', () => {
    const at = (second: number) => ({ started_at: `2026-01-01T00:00:0${second}Z` });
    const { steps } = only({
      spans: [span('TOOL', at(3)), span('LLM', { output: 'b', ...at(2) }), span('LLM', { output: 'a', ...at(1) })],
    });
    expect(steps.map(({ pointer }) => pointer)).toEqual(['/spans/2', '/spans/1', '/spans/0']);
  });

  it('that failed without a message are errors', () => {
    const { steps } = only({ spans: [span('LLM', { status: 'ERROR' }), span('TOOL', { status: 'ERROR' })] });
    expect(steps.map((step) => 'error' in step && step.error)).toEqual(Array(2).fill(expect.stringContaining('ERROR')));
  });

  it('that say OK and return an error are errors', () => {
    const turn = only({ spans: [span('TOOL', { output: { error: 'no such order' } })] });
    expect(callAt(turn, 0)).toMatchObject({
      outcome: 'error',
      error: 'no such order',
      resultPointer: '/spans/0/output',
    });
  });

  it('unite each request with one execution, by name and order', () => {
    const request = {
      tool_calls: [
        { id: '1', function: { name: 'f', arguments: '{"a":1}' } },
        { id: '2', function: { name: 'f', arguments: '{"a":2}' } },
      ],
    };
    const turn = only({
      spans: [
        span('LLM', { output: request }),
        span('TOOL', { name: 'f', input: { a: 1 }, output: 'x' }),
        span('TOOL', { name: 'g', output: 'y' }),
      ],
    });
    expect(agentToolCalls(turn).map(({ name, id, outcome }) => [name, id, outcome])).toEqual([
      ['f', '1', 'ok'],
      ['f', '2', 'missing'],
      ['g', undefined, 'ok'],
    ]);
  });

  it.each<[string, unknown]>([
    ['a text', { reasoning_summary: 'First I look it up.' }],
    ['parts', { reasoning_summary: [{ type: 'summary_text', text: 'First I look it up.' }] }],
    ['another field', { thinking: 'First I look it up.' }],
  ])('have the thoughts in their metadata: %s', (_, metadata) => {
    const output = { role: 'assistant', content: 'Done.' };
    expect(only({ spans: [span('LLM', { output, metadata })] }).steps).toMatchObject([
      { type: 'model', text: 'Done.', reasoning: 'First I look it up.' },
    ]);
  });

  it('have the thoughts of a model that said nothing else', () => {
    const metadata = { reasoning_summary: 'Nothing to do.' };
    expect(only({ spans: [span('LLM', { metadata })] }).steps).toMatchObject([{ reasoning: 'Nothing to do.' }]);
  });

  it('say which tools there were', () => {
    const tools = [{ type: 'function', function: { name: 'get_order', description: 'Reads an order.' } }];
    const input = { messages: [{ role: 'user', content: 'hi' }], tools };
    const session = onlySession(pandaProbe.read(json(trace({ spans: [span('LLM', { input, output: 'Done.' })] }))));
    expect(session.turns[0]?.tools ?? session.tools).toEqual([{ name: 'get_order', description: 'Reads an order.' }]);
    const silent = onlySession(pandaProbe.read(json(trace())));
    expect(silent.turns[0]?.tools ?? silent.tools).toBeUndefined();
  });

  it('that are no objects are left out', () => {
    expect(codes(pandaProbe.read(json(trace({ spans: [null, span('LLM')] }))))).toEqual(['warning not-a-span']);
  });
});

it.each([[5], [{}], [[null, {}]]])('%j has no traces, and says so', (value) => {
  const { sessions, problems } = pandaProbe.read(json(value));
  expect(sessions).toEqual([]);
  expect(problems.every(({ severity }) => severity === 'error')).toBe(true);
  expect(problems.length).toBeGreaterThan(0);
});

describe('the traces of a session or a page', () => {
  const { value: traces } = fixture('pandaprobe-traces.json');
  const list: readonly object[] = Array.isArray(traces) ? traces : [];
  const bare = list.map((trace) => ({ ...trace, session_id: undefined }));
  const alone = onlySession(read(json(list)));

  it.each([
    ['a session', { session_id: alone.id, trace_count: list.length, traces: bare }, '/traces'],
    ['a page of traces', { items: list, total: list.length }, '/items'],
    ['a page of sessions', { items: [{ session_id: alone.id, traces: bare }] }, '/items/0/traces'],
  ])('are read from %s as from a list', (_, value, pointer) => {
    const reading = read(json(value));
    for (const place of pointersOf(reading)) resolve(value, place);
    const session = onlySession(reading);
    expect(session).toMatchObject({ id: alone.id, source: { format: 'pandaprobe' } });
    expect(session.turns.map(({ input, output }) => [input, output])).toEqual(
      alone.turns.map(({ input, output }) => [input, output]),
    );
    expect(session.turns.every((turn) => turn.pointer.startsWith(pointer))).toBe(true);
  });
});
