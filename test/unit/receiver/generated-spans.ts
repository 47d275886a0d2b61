import { fileOf } from '../../../src/receiver/live-file.ts';

export interface GeneratedTurn {
  readonly conversation: string | null;
  /** Each a model call and a tool call, before the last model call. */
  readonly steps: number;
  /** Which spans name the conversation. */
  readonly named: 'all' | 'root' | 'leaf';
  /** Spans of HTTP inside the trace. */
  readonly requests: number;
}

export interface GeneratedSpan {
  readonly scope: string;
  /** In which its session ends up. */
  readonly file: string;
  readonly span: { readonly traceId: string; readonly [key: string]: unknown };
}

/**
 * The spans of a trace, the root first. A span and the first one below it start at the same time. Those beside each other do not: where
 * clocks cannot tell, what arrived first came first.
 */
export function turnSpans(
  number: number,
  { conversation, steps, named, requests }: GeneratedTurn,
): [GeneratedSpan, ...GeneratedSpan[]] {
  const traceId = (number + 1).toString(16).padStart(32, '0');
  let ids = 0;
  let time = 1_767_225_600_000_000_000n + BigInt(number) * 60_000_000_000n;
  const make = (name: string, parent: number, attributes: Record<string, string>, scope = 'agent') => {
    ids += 1;
    const from = time;
    time += parent === 0 ? 0n : 1_000_000n;
    const isRoot = parent === 0;
    const isNamed = named === 'all' || (named === 'root' ? isRoot : ids === 2);
    const own = { ...attributes, ...(conversation !== null && isNamed && { 'gen_ai.conversation.id': conversation }) };
    return {
      scope,
      file: fileOf(conversation ?? traceId),
      span: {
        traceId,
        spanId: ids.toString(16).padStart(16, '0'),
        ...(isRoot ? {} : { parentSpanId: parent.toString(16).padStart(16, '0') }),
        name,
        startTimeUnixNano: from.toString(),
        endTimeUnixNano: time.toString(),
        attributes: Object.entries(own).map(([key, stringValue]) => ({ key, value: { stringValue } })),
        status: {},
      },
    };
  };
  const root = make('invoke_agent a', 0, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'a' });
  const ask = { role: 'user', parts: [{ type: 'text', content: `Question ${number}` }] };
  const chat = (output: object) =>
    make('chat m', 1, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.input.messages': JSON.stringify([ask]),
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [output] }]),
    });
  const below: GeneratedSpan[] = [];
  for (let step = 0; step < steps; step += 1) {
    below.push(chat({ type: 'tool_call', id: `c${step}`, name: 'get', arguments: { step } }));
    below.push(
      make('execute_tool get', 1, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'get',
        'gen_ai.tool.call.id': `c${step}`,
        'gen_ai.tool.call.arguments': JSON.stringify({ step }),
        'gen_ai.tool.call.result': `result ${step}`,
      }),
    );
  }
  below.push(chat({ type: 'text', content: `Answer ${number}` }));
  for (let request = 0; request < requests; request += 1) {
    below.push(make(`GET /${request}`, 2, { 'http.request.method': 'GET' }, 'http'));
  }
  const end = { ...root, span: { ...root.span, endTimeUnixNano: (time + 1000n).toString() } };
  return [end, ...below];
}

/** A trace of a program without an agent. */
export function programSpan(number: number): GeneratedSpan {
  const span = {
    traceId: `f${number.toString(16).padStart(31, '0')}`,
    spanId: 'a'.repeat(16),
    name: 'GET /health',
    startTimeUnixNano: '1767225600000000000',
    endTimeUnixNano: '1767225600000000001',
    attributes: [{ key: 'http.request.method', value: { stringValue: 'GET' } }],
  };
  return { scope: 'http', file: '', span };
}

export function exportOf(spans: readonly GeneratedSpan[]): object {
  const byScope = Map.groupBy(spans, ({ scope }) => scope);
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'test' } }] },
        scopeSpans: Array.from(byScope, ([name, list]) => ({ scope: { name }, spans: list.map(({ span }) => span) })),
      },
    ],
  };
}
