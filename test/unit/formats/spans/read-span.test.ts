import { describe, expect, it } from 'vitest';
import { readEvent, readSpan, spanIdOf, traceIdOf } from '../../../../src/formats/spans/read-span.ts';

const read = (value: unknown) => readSpan(value, '/s');

describe('ids of a span', () => {
  it.each<[string, object, (string | undefined)[]]>([
    ['OTLP', { traceId: 't', spanId: 's', parentSpanId: 'p' }, ['t', 's', 'p']],
    ['a flat dump', { trace_id: 't', span_id: 's', parent_span_id: null }, ['t', 's', undefined]],
    ['an empty parent', { traceId: 't', spanId: 's', parentSpanId: '' }, ['t', 's', undefined]],
    ["Python's SDK", { context: { trace_id: '0xt', span_id: '0xs' }, parent_id: '0xp' }, ['0xt', '0xs', '0xp']],
    [
      "JavaScript's SDK",
      { spanContext: { traceId: 't', spanId: 's' }, parentSpanContext: { spanId: 'p' } },
      ['t', 's', 'p'],
    ],
    [
      'any-agent, whose ids are digits here',
      { context: { trace_id: '100927429609276267646756448943279827607', span_id: 7 }, parent: { span_id: '12' } },
      ['100927429609276267646756448943279827607', '7', '12'],
    ],
    [
      'Jaeger',
      {
        traceID: 't',
        spanID: 's',
        references: [
          { refType: 'FOLLOWS_FROM', spanID: 'x' },
          { refType: 'CHILD_OF', spanID: 'p' },
        ],
      },
      ['t', 's', 'p'],
    ],
    ['ClickHouse', { TraceId: 't', SpanId: 's', ParentSpanId: 'p' }, ['t', 's', 'p']],
  ])('of %s', (_, value, [trace, span, parent]) => {
    expect([traceIdOf(value), spanIdOf(value), read(value).parentId]).toEqual([trace, span, parent]);
  });
});

describe('times of a span', () => {
  it.each<[string, object, (string | undefined)[]]>([
    [
      'in nanoseconds',
      { startTimeUnixNano: '1771237534577907123', endTimeUnixNano: '1771237534577907124' },
      ['2026-02-16T10:25:34.577907123Z', '2026-02-16T10:25:34.577907124Z'],
    ],
    [
      'with a duration in µs',
      { startTime: 1771237534577907, duration: 93 },
      ['2026-02-16T10:25:34.577907Z', '2026-02-16T10:25:34.578Z'],
    ],
    [
      'with a duration in ns',
      { Timestamp: '2026-02-16T10:25:34.577Z', Duration: 1000 },
      ['2026-02-16T10:25:34.577Z', '2026-02-16T10:25:34.577001Z'],
    ],
    [
      'with a duration as ISO 8601',
      { timestamp: '2025-03-19T16:45:55Z', duration: 'PT1H2M3.5S' },
      ['2025-03-19T16:45:55Z', '2025-03-19T17:47:58.500Z'],
    ],
    ['that are missing', {}, [undefined, undefined]],
  ])('%s', (_, value, [start, end]) => {
    expect([read(value).startedAt, read(value).endedAt]).toEqual([start, end]);
  });
});

describe('errors of a span', () => {
  const exception = (fields: object) => ({ name: 'exception', attributes: fields });
  it.each<[string, object, string | undefined]>([
    ['a status of 2', { status: { code: 2, message: 'no' } }, 'no'],
    ['a status of OK', { status: { code: 'OK' } }, undefined],
    ['a status of 1', { status: { code: 1, message: 'fine' } }, undefined],
    ['a status by its name', { status: { code: 'STATUS_CODE_ERROR' } }, expect.stringContaining('no message')],
    ["Python's status", { status: { status_code: 'error', description: 'no' } }, 'no'],
    ["Phoenix's status", { status_code: 'ERROR', status_message: 'no' }, 'no'],
    ["TRAIL's status", { status_code: 'Error', status_message: 'no' }, 'no'],
    ["ClickHouse's status", { StatusCode: 'STATUS_CODE_ERROR', StatusMessage: 'no' }, 'no'],
    [
      "Jaeger's flag",
      {
        tags: [
          { key: 'error', value: true },
          { key: 'otel.status_description', value: 'no' },
        ],
      },
      'no',
    ],
    ['a kind of error alone', { attributes: { 'error.type': 'TimeoutError' } }, 'TimeoutError'],
    [
      'an exception',
      { status: { code: 2 }, events: [exception({ 'exception.type': 'ValueError', 'exception.message': 'no' })] },
      'ValueError: no',
    ],
    [
      'an exception that was handled',
      { status: { code: 0 }, events: [exception({ 'exception.message': 'no' })] },
      undefined,
    ],
    ['a status of another kind', { status: { code: { toString: 1 } } }, undefined],
  ])('%s', (_, value, error) => {
    expect(read(value).error).toEqual(error);
  });
});

describe('other properties of a span', () => {
  it('include the scope from the enclosing object, its own field, or its attributes', () => {
    expect(readSpan({ scope: { name: 'own' } }, '', 'outer').scope).toBe('outer');
    expect(read({ scope: { name: 'own' } }).scope).toBe('own');
    expect(read({ tags: [{ key: 'otel.library.name', value: 'tagged' }] }).scope).toBe('tagged');
  });

  it('include the kind that Phoenix keeps next to the attributes', () => {
    expect(read({ span_kind: 'LLM', attributes: {} }).attributes.get('openinference.span.kind')).toBe('LLM');
    expect(
      read({ span_kind: 'Internal', span_attributes: {} }).attributes.find('openinference.span.kind'),
    ).toBeUndefined();
    const own = { span_kind: 'LLM', attributes: { 'openinference.span.kind': 'TOOL' } };
    expect(read(own).attributes.get('openinference.span.kind')).toBe('TOOL');
  });

  it('include the scores of annotations', () => {
    const annotations = [
      { name: 'a', result: { score: 0.5, label: 'half' } },
      { name: 'b', result: { score: null, label: 'good' } },
      { name: 'c', result: null },
      null,
    ];
    expect(read({ annotations }).scores).toEqual([
      { name: 'a', value: 0.5, pointer: '/s/annotations/0' },
      { name: 'b', value: 'good', pointer: '/s/annotations/1' },
    ]);
  });

  it('include events, with their fields or their body', () => {
    expect(
      readEvent({ timestamp: 1771237534577907, fields: [{ key: 'event', value: 'exception' }] }, '/e'),
    ).toMatchObject({
      name: 'exception',
      at: '2026-02-16T10:25:34.577907Z',
    });
    expect(readEvent({ eventName: 'x', body: { stringValue: 'hi' } }, '/e').body).toEqual({
      value: 'hi',
      pointer: '/e/body',
      isRewritten: true,
    });
    expect(readEvent({ body: { a: 1 } }, '/e').body).toEqual({ value: { a: 1 }, pointer: '/e/body' });
    expect(readEvent(null, '/e')).toMatchObject({ name: '', body: undefined });
  });
});
