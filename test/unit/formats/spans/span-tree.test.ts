import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { turnAt } from '../read-fixture.ts';
import {
  agent,
  assistant,
  calls,
  chain,
  exchanges,
  model,
  modelWithoutContent,
  read,
  session,
  span,
  steps,
  tool,
  toolRequests,
  user,
} from './span-builder.ts';

/** A call of a model as OpenInference writes it. */
const openInference = (
  id: string,
  text: string,
  more: { in?: string; at?: number; took?: number; scope?: string } = {},
) =>
  span(
    { id, ...more },
    {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'hi',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': text,
    },
  );

describe('a call that several instrumentations recorded counts once', () => {
  it('if the spans are nested', () => {
    const parsed = session(openInference('a', 'hello', { took: 5 }), openInference('b', 'hello', { in: 'a', at: 1 }));
    expect(steps(parsed)).toEqual(['model']);
  });

  it('if there is an HTTP span in between', () => {
    const parsed = session(
      openInference('a', 'hello', { took: 5 }),
      span({ id: 'http', in: 'a' }, { 'http.method': 'POST' }),
      openInference('b', 'hello', { in: 'http', at: 1 }),
    );
    expect(steps(parsed)).toEqual(['model']);
  });

  it('as the one with content', () => {
    const parsed = session(
      modelWithoutContent({ id: 'a', took: 5 }),
      model({ id: 'b', in: 'a', at: 1 }, [user('hi')], assistant('hello')),
    );
    expect([exchanges(parsed), steps(parsed)]).toEqual([[['hi', 'hello']], ['model']]);
    expect(turnAt(parsed, 0).steps[0]?.pointer).toBe('/1');
  });

  it("if it is in two dialects, one of them a framework's", () => {
    const parsed = session(
      openInference('a', 'hello', { took: 2 }),
      model({ id: 'b', at: 0.5, took: 1 }, [user('hi')], assistant('hello')),
      span({ id: 't', at: 3 }, { 'openinference.span.kind': 'TOOL', 'tool.name': 'f' }),
      tool({ id: 'u', at: 3 }, 'f', '1', 'x'),
    );
    expect(steps(parsed)).toEqual(['model', 'f']);
    expect(turnAt(parsed, 0).steps[0]?.pointer).toBe('/0');
  });

  it('if it is in two dialects, only one with content', () => {
    const parsed = session(
      span({ id: 'a', took: 2 }, { 'openinference.span.kind': 'LLM', 'llm.model_name': 'm' }),
      model({ id: 'b', at: 0.5 }, [user('hi')], assistant('hello')),
    );
    expect([exchanges(parsed), steps(parsed)]).toEqual([[['hi', 'hello']], ['model']]);
  });

  it('if it is in two dialects, only the second with tools', () => {
    const parsed = session(openInference('a', 'hello'), tool({ id: 'u', at: 3 }, 'f', '1', 'x'));
    expect(steps(parsed)).toEqual(['model', 'f']);
  });

  it('if the spans are next to each other in one dialect', () => {
    const parsed = session(
      openInference('a', 'hello', { took: 3, scope: 'langchain' }),
      openInference('b', 'hello', { at: 1, scope: 'openai' }),
      openInference('c', 'hello', { at: 9, scope: 'openai' }),
    );
    expect(steps(parsed)).toEqual(['model', 'model']);
  });

  it('unlike two simultaneous calls', () => {
    expect(
      steps(session(openInference('a', 'x', { took: 3, scope: 'p' }), openInference('b', 'y', { at: 1, scope: 'q' }))),
    ).toHaveLength(2);
    expect(steps(session(openInference('a', 'x', { took: 3 }), openInference('b', 'x', { at: 1 })))).toHaveLength(2);
  });

  it('including tool calls, unlike a tool within another tool', () => {
    const parsed = session(
      model({ id: 'm' }, [user('hi')], toolRequests(['1', 'run'])),
      tool({ id: 'a', at: 2, took: 5 }, 'run', '1', 'x'),
      tool({ id: 'b', in: 'a', at: 3 }, 'run', undefined, 'x'),
      tool({ id: 'c', in: 'a', at: 4 }, 'search', undefined, 'y'),
    );
    expect(calls(parsed)).toEqual([['run ok', 'search ok']]);
  });

  it('and so does a span that was exported twice', () => {
    const span = tool({ id: 'f', at: 2 }, 'f', '1', 'x');
    expect(calls(session(model({ id: 'm' }, [user('hi')], assistant('x')), span, span))).toEqual([['f ok']]);
  });
});

describe('the position of a span in the tree', () => {
  it('does not depend on the order of the spans', () => {
    const spans = [
      agent({ id: 'A', took: 20 }, 'main'),
      model({ id: 'm1', in: 'A', at: 1 }, [user('go')], toolRequests(['1', 'ask'])),
      tool({ id: 'T', in: 'A', at: 3, took: 5 }, 'ask', '1', 'x'),
      agent({ id: 'E', in: 'T', at: 4, took: 3 }, 'expert'),
      model({ id: 'e', in: 'E', at: 4 }, [user('q')], assistant('x')),
      model({ id: 'm2', in: 'A', at: 9 }, [user('go')], assistant('done')),
    ];
    const expected = ['model', 'ask', 'agent expert', 'model'];
    expect(steps(session(...spans))).toEqual(expected);
    expect(steps(session(...spans.toReversed()))).toEqual(expected);
  });

  it('follows the order of the export within one tick of a coarse clock', () => {
    const at = 1;
    const parsed = session(
      model({ id: 'm1', at, took: 0.0001 }, [user('go')], toolRequests(['1', 'f'])),
      tool({ id: 'f', at, took: 0.0001 }, 'f', '1', 'x'),
      model({ id: 'm2', at, took: 0.0001 }, [user('go')], assistant('done')),
    );
    expect(steps(parsed)).toEqual(['model', 'f', 'model']);
    expect(exchanges(parsed)).toEqual([['go', 'done']]);
  });

  it("follows the start time if a tool's children were exported before it", () => {
    const at = 1;
    const parsed = session(
      tool({ id: 'inner', in: 'f', at, took: 0.0001 }, 'inner', undefined, 'y'),
      model({ id: 'm', at, took: 0.0001 }, [user('go')], toolRequests(['1', 'f'])),
      tool({ id: 'f', at, took: 0.0001 }, 'f', '1', 'x'),
    );
    expect(steps(parsed)).toEqual(['model', 'f', 'inner']);
  });

  it('is kept if agents ran during a tool of another agent', () => {
    const pair = (id: string, prompt: string) => [
      agent({ id, took: 10 }, id),
      tool({ id: `${id}t`, in: id, took: 10 }, `ask_${id}`, undefined, 'x'),
      model({ id: `${id}m`, in: id, at: 1 }, [user(prompt)], assistant('x')),
    ];
    expect(steps(session(...pair('a', 'hi'), ...pair('b', 'hi')))).toEqual(['ask_b', 'agent a', 'model']);
  });

  it('is at the top if the parent span is not in the file', () => {
    expect(exchanges(session(model({ id: 'm', in: 'gone' }, [user('hi')], assistant('hello'))))).toEqual([
      ['hi', 'hello'],
    ]);
  });

  it("is found even if spans are each other's parents", () => {
    const parsed = session(
      agent({ id: 'a', in: 'b', took: 9 }, 'x'),
      agent({ id: 'b', in: 'a', took: 9 }, 'y'),
      model({ id: 'm', in: 'a' }, [user('hi')], assistant('hello')),
    );
    expect(exchanges(parsed)).toEqual([['hi', 'hello']]);
  });

  it('does not depend on enclosing programs without content', () => {
    const parsed = session(
      chain({ id: 'w', took: 20 }),
      agent({ id: 'a', in: 'w', took: 5 }, 'x'),
      model({ id: 'm', in: 'a' }, [user('hi')], assistant('hello')),
    );
    expect([exchanges(parsed), turnAt(parsed, 0).pointer]).toEqual([[['hi', 'hello']], '/1']);
  });

  it('is found at any depth of agents that call agents', () => {
    const spans = [agent({ id: 'a0', took: 500 }, 'x')];
    for (let depth = 1; depth < 5000; depth += 1) {
      spans.push(tool({ id: `a${depth}`, in: `a${depth - 1}`, at: depth / 100, took: 400 }, `f${depth}`));
    }
    spans.push(model({ id: 'm', in: 'a4999', at: 60 }, [user('hi')], assistant('hello')));
    const [session] = read(...spans).sessions;
    expect(session && agentToolCalls(turnAt(session, 0)).length).toBeGreaterThan(0);
  });

  it('is found in linear time', () => {
    const spans = Array.from({ length: 20_000 }, (_, index) => [
      tool({ id: `t${index}`, in: 'a', at: index, took: 0.9 }, 'f', `${index}`, 'x'),
      agent({ id: `b${index}`, at: index + 0.1, took: 0.5 }, 'b', { 'gen_ai.output.messages': '[]' }),
      span({ id: `h${index}`, in: index === 0 ? 'a' : `h${index - 1}`, at: index }, { 'http.method': 'POST' }),
    ]).flat();
    const started = performance.now();
    const [session] = read(
      agent({ id: 'a', took: 30_000 }, 'x'),
      model({ id: 'm', in: 'a' }, [user('hi')], assistant('x')),
      ...spans,
    ).sessions;
    expect(session && agentToolCalls(turnAt(session, 0)).length).toBe(20_000);
    // Looking at every tool for every agent, or at every span above for every span, would take minutes.
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
