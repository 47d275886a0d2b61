import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../src/core/session.ts';
import { readTrail } from '../../../src/formats/benchmarks/trail.ts';
import { detect } from '../../../src/formats/index.ts';
import { anyAgent } from '../../../src/formats/spans/any-agent.ts';
import { jaeger } from '../../../src/formats/spans/jaeger.ts';
import { mlflow } from '../../../src/formats/spans/mlflow.ts';
import { otlp } from '../../../src/formats/spans/otlp.ts';
import { phoenix } from '../../../src/formats/spans/phoenix.ts';
import { spanList } from '../../../src/formats/spans/span-list.ts';
import { tempo } from '../../../src/formats/spans/tempo.ts';
import { parseFile } from '../../../src/input/parse-file.ts';
import { codes, fixture, json, jsonLines, onlySession, read, turnAt } from './read-fixture.ts';

const ATTRIBUTES = { 'gen_ai.operation.name': 'chat', 'gen_ai.prompt': 'hi', 'gen_ai.completion': 'hello' };
const listed = Object.entries(ATTRIBUTES).map(([key, value]) => ({ key, value: { stringValue: value } }));
const span = { traceId: 't', spanId: 's', name: 'chat', startTimeUnixNano: '1771237534577907000', attributes: listed };
const scoped = { scope: { name: 'x' }, spans: [span] };
const resource = { resource: { attributes: [] }, scopeSpans: [scoped] };
const TALK = [{ id: 't', input: 'hi', output: 'hello' }];

describe('OTLP', () => {
  it.each<[string, unknown]>([
    ['as the protocol has it', { resourceSpans: [resource] }],
    [
      'in snake case',
      {
        resource_spans: [{ resource: {}, scope_spans: [{ spans: [{ ...span, trace_id: 't', traceId: undefined }] }] }],
      },
    ],
    [
      'as of before scopes',
      {
        resourceSpans: [
          { resource: {}, instrumentationLibrarySpans: [{ instrumentationLibrary: { name: 'x' }, spans: [span] }] },
        ],
      },
    ],
    ["in the result of Jaeger's API", { result: { resourceSpans: [resource] } }],
  ])('is read %s', (_, value) => {
    expect(detect(json(value))?.format.name).toBe('otlp');
    expect(onlySession(otlp.read(json(value))).turns).toMatchObject(TALK);
  });

  it('is read line by line, with lines of metrics in between', () => {
    const lines = [
      { resourceSpans: [resource] },
      undefined,
      { resourceSpans: [] },
      { resourceSpans: [{ ...resource, scopeSpans: [{ spans: [{ ...span, traceId: 'u' }] }] }] },
    ];
    expect(detect(jsonLines(lines))?.format.name).toBe('otlp');
    expect(otlp.read(jsonLines(lines)).sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['t', '/0/resourceSpans/0/scopeSpans/0/spans/0'],
      ['u', '/3/resourceSpans/0/scopeSpans/0/spans/0'],
    ]);
  });

  it('skips entries that are not spans', () => {
    const reading = otlp.read(
      json({
        resourceSpans: [{ ...resource, scopeSpans: [{ spans: [null, {}, span] }] }, null, { scopeSpans: [null, {}] }],
      }),
    );
    expect([reading.sessions.length, codes(reading)]).toEqual([1, ['warning not-a-span', 'warning not-a-span']]);
  });

  it('joins logs with their spans in any order', () => {
    const record = { traceId: 't', spanId: 's', body: { stringValue: 'hi' }, eventName: 'gen_ai.user.message' };
    const logs = {
      resourceLogs: [
        {
          resource: {},
          scopeLogs: [
            {
              logRecords: [
                { ...record, body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: 'hi' } }] } } },
              ],
            },
          ],
        },
      ],
    };
    const bare = {
      resourceSpans: [{ ...resource, scopeSpans: [{ spans: [{ ...span, attributes: listed.slice(0, 1) }] }] }],
    };
    for (const lines of [
      [logs, bare],
      [bare, logs],
      [bare, logs, bare],
    ]) {
      expect(onlySession(otlp.read(jsonLines(lines))).turns).toMatchObject([
        { id: 't', input: 'hi', output: null, captured: false },
      ]);
    }
  });

  it('may have lists and maps as attributes, with one pointer each', () => {
    const text = (stringValue: string) => ({ stringValue });
    const map = (fields: Record<string, object>) => ({
      kvlistValue: { values: Object.entries(fields).map(([key, value]) => ({ key, value })) },
    });
    const message = (role: string, content: string) => map({ role: text(role), content: text(content) });
    const attributes = [
      { key: 'gen_ai.operation.name', value: text('chat') },
      { key: 'gen_ai.input.messages', value: { arrayValue: { values: [message('user', 'hi')] } } },
      { key: 'gen_ai.output.messages', value: { arrayValue: { values: [message('assistant', 'hello')] } } },
    ];
    const workflow = [
      { key: 'traceloop.span.kind', value: text('workflow') },
      { key: 'traceloop.entity.input', value: map({ question: text('hi') }) },
    ];
    const turnOf = (list: object[]) =>
      turnAt(
        onlySession(otlp.read(json({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, attributes: list }] }] }] }))),
        0,
      );
    const place = '/resourceSpans/0/scopeSpans/0/spans/0/attributes';
    expect(turnOf(attributes)).toMatchObject({
      input: 'hi',
      inputPointer: `${place}/1/value`,
      output: 'hello',
      outputPointer: `${place}/2/value`,
    });
    expect(turnOf(workflow)).toMatchObject({ input: 'hi', inputPointer: `${place}/1/value` });
  });

  it('may lack span ids', () => {
    const { spanId: _, ...nameless } = span;
    const spans = [nameless, { ...nameless, startTimeUnixNano: '1771237599000000000' }];
    const session = onlySession(otlp.read(json({ resourceSpans: [{ scopeSpans: [{ spans }] }] })));
    expect(turnAt(session, 0).steps).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['the keys alone', { resourceSpans: 5 }],
    ['a list of something else', { resourceSpans: [{ spans: 1 }] }],
    ['an empty list', { resourceSpans: [] }],
    ['metrics', { resourceMetrics: [{ resource: {}, scopeMetrics: [] }] }],
  ])('is not %s', (_, value) => {
    expect(detect(json(value))).toBeNull();
  });
});

describe('Tempo', () => {
  it.each<[string, unknown, string]>([
    [
      'version 1',
      { batches: [{ resource: {}, instrumentationLibrarySpans: [scoped] }] },
      '/batches/0/instrumentationLibrarySpans/0/spans/0',
    ],
    ['version 2', { trace: { resourceSpans: [resource] } }, '/trace/resourceSpans/0/scopeSpans/0/spans/0'],
    ['version 2 with batches', { trace: { batches: [resource] } }, '/trace/batches/0/scopeSpans/0/spans/0'],
  ])('is read in %s', (_, value, pointer) => {
    expect(detect(json(value))?.format.name).toBe('tempo');
    expect(onlySession(tempo.read(json(value)))).toMatchObject({ source: { pointer }, turns: TALK });
  });

  it.each<[string, unknown]>([
    ['a vocabulary', { batches: 5, spans: 6, messages: 7 }],
    ['batches of something else', { batches: [{ id: 1 }] }],
  ])('is not %s', (_, value) => {
    expect(detect(json(value))).toBeNull();
  });
});

describe('Jaeger', () => {
  const tags = Object.entries(ATTRIBUTES).map(([key, value]) => ({ key, type: 'string', value }));
  const one = { traceID: 't', spanID: 's', operationName: 'chat', startTime: 1771237534577907, duration: 5, tags };
  const trace = { traceID: 't', spans: [one], processes: { p1: { serviceName: 'x' } } };

  it.each<[string, unknown, string]>([
    ['a page of traces', { data: [trace], total: 0 }, '/data/0/spans/0'],
    ['a trace alone', trace, '/spans/0'],
  ])('is %s', (_, value, pointer) => {
    expect(detect(json(value))?.format.name).toBe('jaeger');
    expect(onlySession(jaeger.read(json(value)))).toMatchObject({ source: { pointer }, turns: TALK });
  });

  it('skips entries that are not spans', () => {
    expect(codes(jaeger.read(json({ data: [{ ...trace, spans: [null, one] }] })))).toEqual(['warning not-a-span']);
  });

  it.each<[string, unknown]>([
    ['a page of something else', { data: [{ id: 1 }] }],
    ['spans without processes and names of operations', { data: [{ spans: [{ ...one, operationName: undefined }] }] }],
  ])('is not %s', (_, value) => {
    expect(detect(json(value))).toBeNull();
  });
});

describe('Phoenix', () => {
  const one = {
    id: 'x',
    name: 'chat',
    context: { trace_id: 't', span_id: 's' },
    span_kind: 'LLM',
    parent_id: null,
    attributes: { 'input.value': 'hi', 'output.value': 'hello' },
  };

  it.each<[string, unknown, string]>([
    ['a page', { data: [one], next_cursor: null }, '/data/0'],
    ['a trace', { traceId: 't', spans: [one] }, '/spans/0'],
    ['a session of traces', { sessionId: 'x', traces: [{ traceId: 't', spans: [one] }] }, '/traces/0/spans/0'],
    ['a list of spans', [one], '/0'],
  ])('is %s', (_, value, pointer) => {
    expect(detect(json(value))?.format.name).toBe('phoenix');
    expect(onlySession(phoenix.read(json(value)))).toMatchObject({ source: { pointer }, turns: TALK });
  });

  it('skips entries that are not spans, and uses the enclosing trace', () => {
    const reading = phoenix.read(json({ traceId: 'u', spans: [null, { ...one, context: { span_id: 's' } }] }));
    expect([reading.sessions.map(({ id }) => id), codes(reading)]).toEqual([['u'], ['warning not-a-span']]);
  });

  it('keeps annotations', () => {
    expect(turnAt(onlySession(read(fixture('phoenix-traces.json'))), 0).scores).toEqual({ correctness: 1 });
  });
});

describe('MLflow', () => {
  const one = {
    trace_id: 'AAAA',
    span_id: 'BBBB',
    name: 'chat',
    attributes: { 'mlflow.spanType': '"CHAIN"', 'mlflow.spanInputs': '"hi"', 'mlflow.spanOutputs': '"hello"' },
  };
  const trace = { info: { trace_id: 't', tags: {} }, data: { spans: [one] } };

  it.each<[string, unknown, string]>([
    ['a trace', trace, '/data/spans/0'],
    [
      'a trace of version 2',
      {
        info: { request_id: 't' },
        data: { spans: [{ ...one, trace_id: undefined, context: { trace_id: '0x1', span_id: '0x2' } }] },
      },
      '/data/spans/0',
    ],
    ['what a search found', { traces: [trace] }, '/traces/0/data/spans/0'],
    ['a list', [trace], '/0/data/spans/0'],
  ])('is %s', (_, value, pointer) => {
    expect(detect(json(value))?.format.name).toBe('mlflow');
    expect(onlySession(mlflow.read(json(value)))).toMatchObject({ id: 't', source: { pointer }, turns: TALK });
  });

  it('reads the session from metadata or tags, and assessments as scores', () => {
    const info = {
      trace_id: 't',
      tags: { 'mlflow.trace.session': '"s"' },
      assessments: [
        { assessment_name: 'good', feedback: { value: true } },
        { assessment_name: 'grade', feedback: { value: 'B' }, span_id: 'BBBB' },
        { assessment_name: 'elsewhere', feedback: { value: 1 }, span_id: 'CCCC' },
        { assessment_name: 'expected', expectation: { value: 'x' } },
      ],
    };
    const session = onlySession(mlflow.read(json({ ...trace, info })));
    expect([session.id, turnAt(session, 0).scores]).toEqual(['s', { good: 1, grade: 'B' }]);
  });

  it('reports a trace without spans', () => {
    expect(codes(mlflow.read(json([trace, { info: {} }])))).toEqual(['error not-a-trace']);
  });
});

describe('TRAIL', () => {
  const attributes = { 'openinference.span.kind': 'LLM', 'input.value': 'hi', 'output.value': 'hello' };
  const leaf = { span_id: 'b', span_attributes: attributes, child_spans: [] };

  it('has nested spans without parent ids', () => {
    const value = { trace_id: 't', spans: [{ span_id: 'a', span_attributes: {}, child_spans: [leaf, 5] }] };
    expect(detect(json(value))?.format.name).toBe('trail');
    const reading = readTrail(json(value));
    expect(onlySession(reading)).toMatchObject({ source: { pointer: '/spans/0/child_spans/0' }, turns: TALK });
    expect(codes(reading)).toEqual(['warning not-a-span']);
  });

  it('may be nested deeply', () => {
    let deep: object = leaf;
    for (let depth = 0; depth < 20_000; depth += 1) deep = { span_id: `d${depth}`, child_spans: [deep] };
    expect(readTrail(json({ trace_id: 't', spans: [deep] })).sessions).toMatchObject([{ turns: TALK }]);
  });
});

describe('any-agent', () => {
  it('keeps large integer ids exactly', () => {
    const text = JSON.stringify({
      spans: [{ name: 'x', context: { trace_id: 0, span_id: 1 }, attributes: ATTRIBUTES }],
    });
    const bytes = new TextEncoder().encode(
      text.replace('"trace_id":0', '"trace_id":100927429609276267646756448943279827607'),
    );
    const { document } = parseFile('trace.json', bytes);
    expect(document && detect(document)?.format.name).toBe('any-agent');
    expect(document && onlySession(anyAgent.read(document)).id).toBe('100927429609276267646756448943279827607');
  });

  it('uses the final output as the answer if no model has one', () => {
    const agent = {
      name: 'a',
      context: { trace_id: 1, span_id: 1 },
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
    };
    const model = {
      name: 'm',
      context: { trace_id: 1, span_id: 2 },
      parent: { span_id: 1 },
      attributes: {
        'gen_ai.operation.name': 'call_llm',
        'gen_ai.input.messages': '[{"role":"user","content":"hi"}]',
        'gen_ai.output': '[{"tool.name":"f","tool.args":{"a":1}}]',
      },
    };
    const last = {
      name: 'm',
      context: { trace_id: 1, span_id: 3 },
      parent: { span_id: 1 },
      attributes: { 'gen_ai.operation.name': 'call_llm', 'gen_ai.input.messages': '[{"role":"user","content":"hi"}]' },
    };
    const session = onlySession(anyAgent.read(json({ spans: [agent, model, last], final_output: { a: 1 } })));
    const turn = turnAt(session, 0);
    expect(turn).toMatchObject({ input: 'hi', output: '{"a":1}', outputPointer: '/final_output' });
    expect(turn.steps.map((step) => (step.type === 'model' ? step.text : step.type))).toEqual([
      undefined,
      'tool',
      undefined,
    ]);
  });
});

describe('a dump of spans', () => {
  it("is read from the file of Copilot's exporter, between more log records and metrics than spans", () => {
    const turn = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'conv',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Delete a.ts"}]}]',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Deleted."}]}]',
    };
    const tool = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'delete_file',
      'gen_ai.tool.call.arguments': '{"path":"a.ts"}',
      'gen_ai.tool.call.result': 'denied',
    };
    const exported = (spanId: string, attributes: object, rest: object) => ({
      resource: { attributes: { 'service.name': 'copilot-chat' } },
      instrumentationScope: { name: 'copilot-chat', version: '0.44.0' },
      ...{ traceId: 't', spanId, traceFlags: 1, name: spanId, kind: 0, attributes },
      ...{ startTime: [1790000000, 5e8], endTime: [1790000001, 0], duration: [0, 5e8], links: [], events: [] },
      ...rest,
    });
    const record = {
      ...{ attributes: { 'event.name': 'copilot_chat.tool.call' }, hrTime: [1790000000, 1] },
      ...{ spanContext: { traceId: 't', spanId: 'tool' }, _body: 'copilot_chat.tool.call: delete_file' },
    };
    const metrics = { resource: { attributes: {} }, scopeMetrics: [{ scope: { name: 'copilot-chat' }, metrics: [] }] };
    const ofCommandLine = { type: 'metric', name: 'gen_ai.client.token.usage', dataPoints: [] };
    const reading = read(
      jsonLines([
        ...[record, record, metrics, metrics, ofCommandLine],
        exported('tool', tool, { parentSpanId: 'agent', status: { code: 2, message: 'denied' } }),
        exported('agent', turn, { status: { code: 0 } }),
      ]),
    );
    expect(reading.problems).toEqual([]);
    const session = onlySession(reading);
    expect([session.id, session.turns.length]).toEqual(['conv', 1]);
    expect(turnAt(session, 0)).toMatchObject({
      input: 'Delete a.ts',
      output: 'Deleted.',
      startedAt: '2026-09-21T14:13:20.500Z',
    });
    expect(agentToolCalls(turnAt(session, 0))).toMatchObject([{ name: 'delete_file', error: 'denied' }]);
  });

  const flat = { trace_id: 't', span_id: 's', name: 'chat', attributes: ATTRIBUTES };

  it.each<[string, unknown, string]>([
    ['a list', [flat], '/0'],
    ['an object with a list', { session_id: 't', span_count: 1, spans: [flat] }, '/spans/0'],
    [
      "what Python's exporter prints",
      [{ context: { trace_id: 't', span_id: 's' }, parent_id: null, name: 'chat', attributes: ATTRIBUTES }],
      '/0',
    ],
    [
      "spans of JavaScript's SDK",
      [{ spanContext: { traceId: 't', spanId: 's' }, name: 'chat', attributes: ATTRIBUTES }],
      '/0',
    ],
    ['rows of ClickHouse', [{ TraceId: 't', SpanId: 's', SpanName: 'chat', SpanAttributes: ATTRIBUTES }], '/0'],
    ['spans of OTLP by themselves', [span], '/0'],
  ])('is %s', (_, value, pointer) => {
    expect(detect(json(value))?.format.name).toBe('span-list');
    expect(onlySession(spanList.read(json(value)))).toMatchObject({ id: 't', source: { pointer }, turns: TALK });
  });

  it('may be the attributes of one span', () => {
    expect(detect(json(ATTRIBUTES, 'call.json'))?.format.name).toBe('span-list');
    expect(onlySession(spanList.read(json(ATTRIBUTES, 'call.json')))).toMatchObject({
      id: 'call',
      turns: [{ input: 'hi', inputPointer: '/gen_ai.prompt' }],
    });
  });

  it('skips spans without ids', () => {
    const reading = spanList.read(json([flat, { attributes: {} }, null]));
    expect([reading.sessions.length, codes(reading)]).toEqual([1, ['warning not-a-span', 'warning not-a-span']]);
  });

  it.each<[string, unknown]>([
    ['logs of a program that names its spans', [{ traceId: 't', spanId: 's', body: 'started', attributes: {} }]],
    ['a table with ids', [{ trace_id: 't', span_id: 's', name: 'x' }]],
  ])('is not %s', (_, value) => {
    expect(detect(json(value))).toBeNull();
  });

  it('may be log records only, if they contain agent messages', () => {
    const record = {
      traceId: 't',
      spanId: 's',
      attributes: {},
      body: {
        input: { messages: [{ role: 'user', content: 'hi' }] },
        output: { messages: [{ role: 'assistant', content: 'hello' }] },
      },
    };
    expect(detect(jsonLines([record, undefined]))?.format.name).toBe('span-list');
  });
});
