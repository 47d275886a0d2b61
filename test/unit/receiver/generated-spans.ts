import { fileOf } from '../../../src/receiver/live-file.ts';

export interface GeneratedTurn {
  readonly conversation: string | null;
  /** Each a model call and a tool call, before the last model call. */
  readonly steps: number;
  /** Which spans name the conversation; `mixed`: the root does, and others name another one, which does not count. */
  readonly named: 'all' | 'root' | 'leaf' | 'mixed';
  /** Spans of HTTP inside the trace. */
  readonly requests: number;
  /** Whether messages are in log records, as older instrumentations send them, instead of in attributes. */
  readonly logs?: boolean;
}

/** A span, or a log record of one. */
export interface GeneratedSpan {
  readonly signal?: 'logs';
  readonly scope: string;
  /** In which its session ends up. */
  readonly file: string;
  readonly span: { readonly traceId: string; readonly [key: string]: unknown };
}

/**
 * The spans and log records of a trace, the root first. A span and the first one below it start at the same time. Those beside each other do not: where
 * clocks cannot tell, what arrived first came first.
 */
export function turnSpans(
  number: number,
  { conversation, steps, named, requests, logs = false }: GeneratedTurn,
): [GeneratedSpan, ...GeneratedSpan[]] {
  const traceId = (number + 1).toString(16).padStart(32, '0');
  let ids = 0;
  let time = 1_767_225_600_000_000_000n + BigInt(number) * 60_000_000_000n;
  const make = (name: string, parent: number, attributes: Record<string, string>, scope = 'agent') => {
    ids += 1;
    const from = time;
    time += parent === 0 ? 0n : 1_000_000n;
    const isRoot = parent === 0;
    const isNamed = named === 'all' || (named === 'leaf' ? ids === 2 : isRoot);
    const id = isNamed ? conversation : named === 'mixed' && conversation !== null && ids > 2 ? 'other' : null;
    const own = { ...attributes, ...(id !== null && { 'gen_ai.conversation.id': id }) };
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
  const below: GeneratedSpan[] = [];
  const chat = (output: GeneratedOutput) => {
    const span = make('chat m', 1, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      ...(!logs && {
        'gen_ai.input.messages': JSON.stringify([ask]),
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [output] }]),
      }),
    });
    below.push(span);
    if (!logs) return;
    const record = (eventName: string, after: bigint, body: object): GeneratedSpan => {
      const { traceId, spanId, startTimeUnixNano } = span.span;
      const timeUnixNano = (BigInt(startTimeUnixNano) + after).toString();
      return {
        signal: 'logs',
        scope: span.scope,
        file: span.file,
        span: { traceId, spanId, eventName, timeUnixNano, body: anyValue(body) },
      };
    };
    below.push(
      record('gen_ai.system.message', 1n, { role: 'system', content: 'You help.' }),
      record('gen_ai.user.message', 2n, { role: 'user', content: `Question ${number}` }),
      record('gen_ai.user.message', 3n, { role: 'user', content: 'Please.' }),
      record('gen_ai.choice', 4n, { message: { role: 'assistant', ...choiceOf(output) } }),
    );
  };
  for (let step = 0; step < steps; step += 1) {
    chat({ type: 'tool_call', id: `c${step}`, name: 'get', arguments: { step } });
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
  chat({ type: 'text', content: `Answer ${number}` });
  for (let request = 0; request < requests; request += 1) {
    below.push(make(`GET /${request}`, 2, { 'http.request.method': 'GET' }, 'http'));
  }
  const end = { ...root, span: { ...root.span, endTimeUnixNano: (time + 1000n).toString() } };
  return [end, ...below];
}

type GeneratedOutput =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: object };

/** A value as OTLP wraps it. */
function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  const values = Object.entries(value ?? {}).map(([key, item]) => ({ key, value: anyValue(item) }));
  return { kvlistValue: { values } };
}

function choiceOf(output: GeneratedOutput): object {
  if (output.type === 'text') return { content: output.content };
  const { id, name } = output;
  return { tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(output.arguments) } }] };
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

export function exportOf(items: readonly GeneratedSpan[]): object {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'test' } }] };
  const scopesOf = (signal: 'logs' | undefined, key: string) => {
    const byScope = Map.groupBy(
      items.filter((item) => item.signal === signal),
      ({ scope }) => scope,
    );
    return Array.from(byScope, ([name, list]) => ({ scope: { name }, [key]: list.map(({ span }) => span) }));
  };
  const scopeSpans = scopesOf(undefined, 'spans');
  const scopeLogs = scopesOf('logs', 'logRecords');
  return {
    ...(scopeSpans.length > 0 && { resourceSpans: [{ resource, scopeSpans }] }),
    ...(scopeLogs.length > 0 && { resourceLogs: [{ resource, scopeLogs }] }),
  };
}
