import { describe, expect, it } from 'vitest';
import { spanList } from '../../../../src/formats/spans/span-list.ts';
import { codes, json, turnAt } from '../read-fixture.ts';
import { assistant, exchanges, model, modelWithoutContent, read, session, span, user } from './span-builder.ts';

const said1 = (trace: string, at: number, attributes: object) => {
  const span = model({ id: trace, trace, at }, [user(`ask ${trace}`)], assistant(`tell ${trace}`));
  return { ...span, attributes: { ...span.attributes, ...attributes } };
};

describe('traces of one conversation', () => {
  it.each([
    'session.id',
    'gen_ai.conversation.id',
    'gcp.vertex.agent.session_id',
    'langfuse.session.id',
    'ai.telemetry.metadata.sessionId',
    'ai.telemetry.metadata.threadId',
    'traceloop.association.properties.session_id',
    'traceloop.association.properties.thread_id',
    'metadata.thread_id',
    'thread_id',
  ])('are joined by %s', (key) => {
    const parsed = session(said1('t2', 9, { [key]: 's' }), said1('t1', 0, { [key]: 's' }));
    expect([parsed.id, exchanges(parsed)]).toEqual([
      's',
      [
        ['ask t1', 'tell t1'],
        ['ask t2', 'tell t2'],
      ],
    ]);
    expect(parsed.source.pointer).toBe('/1');
  });

  it("are joined by the thread in LangChain's metadata", () => {
    const metadata = JSON.stringify({ thread_id: 's', langgraph_step: 1 });
    expect(session(said1('t1', 0, { metadata }), said1('t2', 9, { metadata })).id).toBe('s');
  });

  it('are joined if only an HTTP span names the conversation', () => {
    const http = (trace: string) => span({ id: `${trace}h`, trace }, { 'session.id': 's' });
    expect(session(said1('t1', 0, {}), http('t1'), said1('t2', 9, {}), http('t2')).id).toBe('s');
  });

  it('are separate sessions if nothing names it', () => {
    expect(read(said1('t1', 0, {}), said1('t2', 9, {})).sessions.map(({ id }) => id)).toEqual(['t1', 't2']);
  });

  it('may belong to a session that is named next to the spans', () => {
    const spans = [said1('t1', 0, { 'session.id': 'x' })];
    expect(spanList.read(json({ session_id: 's', span_count: 1, spans })).sessions.map(({ id }) => id)).toEqual(['s']);
  });

  it('have the user in their metadata', () => {
    expect(session(said1('t1', 0, { 'user.id': 'u1' })).metadata).toEqual({ user_id: 'u1' });
  });

  it('come last without a start time', () => {
    const { start_time: _, ...timeless } = said1('t1', 0, { 'session.id': 's' });
    const reading = spanList.read(json([timeless, said1('t2', 9, { 'session.id': 's' })]));
    expect(reading.sessions[0]?.turns.map(({ id }) => id)).toEqual(['t2', 't1']);
  });
});

describe('spans without an agent', () => {
  const http = (id: string, trace: string) =>
    span({ id, trace }, { 'http.method': 'POST', 'gen_ai.conversation.id': 's' });

  it('are ignored', () => {
    const reading = read(http('a', 'other'), said1('t1', 0, {}), http('b', 't1'));
    expect([reading.sessions.length, codes(reading)]).toEqual([1, []]);
  });

  it('give no session on their own, and a warning for the file', () => {
    const embedded = span({ id: 'b' }, { 'gen_ai.operation.name': 'embeddings' });
    const reading = read(http('a', 'x'), embedded, span({ id: 'c' }, { 'traceloop.span.kind': 'task' }));
    expect([reading.sessions, codes(reading)]).toEqual([[], ['error no-session']]);
    expect(reading.problems[0]?.message).toContain('3 spans');
  });
});

it('missing content is reported for every turn', () => {
  const reading = read(modelWithoutContent({ id: 'a', trace: 't1' }), modelWithoutContent({ id: 'b', trace: 't2' }));
  expect(codes(reading)).toEqual(['warning no-content', 'warning no-content']);
  expect(turnAt(reading.sessions[0], 0)).toMatchObject({ captured: false, input: null });
});
