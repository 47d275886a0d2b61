import { describe, expect, it } from 'vitest';
import { mappedFormat } from '../../../src/formats/mapped/mapped-format.ts';
import { mappingSchema } from '../../../src/formats/mapped/mapping.ts';
import { fixture, json, onlySession, read } from './read-fixture.ts';

const span = (spanId: string, parentSpanId: string, attributes: Readonly<Record<string, object>>) => ({
  traceId: 't',
  spanId,
  parentSpanId,
  name: 'chat',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: Object.entries({
    'gen_ai.operation.name': { stringValue: 'chat' },
    'gen_ai.input.messages': { stringValue: '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]' },
    ...attributes,
  }).map(([key, value]) => ({ key, value })),
});
const tagged = (...tags: readonly string[]) => ({
  'langfuse.trace.tags': { arrayValue: { values: tags.map((stringValue) => ({ stringValue })) } },
});
const otlp = (...spans: readonly object[]) => json({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const inspect = (tags: unknown) =>
  json({
    version: 2,
    status: 'success',
    eval: { task: 't', model: 'm', tags },
    samples: [{ id: 1, epoch: 1, messages: [{ role: 'user', content: 'hi' }] }],
  });

describe('the tags of a session', () => {
  it.each([
    ['langfuse-traces.jsonl', ['demo']],
    ['langfuse-session.json', ['demo']],
    ['langfuse-rows.jsonl', ['demo']],
    ['langfuse-export.json', ['demo']],
    ['pandaprobe-traces.json', ['demo']],
    ['langsmith-trees.json', undefined],
  ])('are those of its traces: %s', (file, tags) => {
    expect(read(fixture(file)).sessions[0]?.tags).toEqual(tags);
  });

  it('are those of the whole trace, and not of spans inside it', () => {
    const session = onlySession(read(otlp(span('a', '', tagged('beta', 'web')), span('b', 'a', tagged('step')))));
    expect(session.tags).toEqual(['beta', 'web']);
  });

  it('are those of the log that Inspect AI wrote', () => {
    expect(onlySession(read(inspect(['beta', 7, '']))).tags).toEqual(['beta']);
    expect(onlySession(read(inspect(null))).tags).toBeUndefined();
  });

  it('are in Turnwise’s own format', () => {
    const session = { turnwise: 1, id: 's', tags: ['beta'], turns: [{ input: 'hi', output: 'hello' }] };
    expect(onlySession(read(json(session))).tags).toEqual(['beta']);
  });

  it('are where a mapping finds them, one or a list', () => {
    const tagsAt = (labels: unknown) => {
      const mapping = { tags: 'meta.labels', turns: { path: 'turns', input: 'q', output: 'a' } };
      const format = mappedFormat(mappingSchema.parse(mapping));
      return onlySession(format.read(json({ meta: { labels }, turns: [{ q: 'hi', a: 'hello' }] }))).tags;
    };
    expect(tagsAt(['beta', 'web'])).toEqual(['beta', 'web']);
    expect(tagsAt('beta')).toEqual(['beta']);
  });
});
