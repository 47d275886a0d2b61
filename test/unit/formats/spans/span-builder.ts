import type { Session } from '../../../../src/core/session.ts';
import { agentToolCalls } from '../../../../src/core/session.ts';
import type { ReadResult } from '../../../../src/formats/format.ts';
import { spanList } from '../../../../src/formats/spans/span-list.ts';
import { json, onlySession } from '../read-fixture.ts';

/** Spans as a program dumps them, in OpenTelemetry's conventions unless a test says otherwise. */

export interface ExportedSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly scope: { readonly name: string };
  readonly status: object;
}

/** Where a span stands: its id, its parent's, its trace, when it began and how long it took, in seconds. */
export interface SpanPlacement {
  readonly id: string;
  readonly in?: string;
  readonly trace?: string;
  readonly at?: number;
  readonly took?: number;
  readonly scope?: string;
  readonly failed?: string;
}

const START = 1_767_225_600;

export function span(
  place: SpanPlacement,
  attributes: Readonly<Record<string, unknown>>,
  name = place.id,
): ExportedSpan {
  const { id, in: parent, trace = 't', at = 0, took = 1, scope = 'test', failed } = place;
  const nanos = (seconds: number) => `${Math.round((START + seconds) * 1000)}000000`;
  return {
    trace_id: trace,
    span_id: id,
    parent_span_id: parent ?? null,
    name,
    start_time: nanos(at),
    end_time: nanos(at + took),
    attributes,
    scope: { name: scope },
    status: failed === undefined ? { code: 'UNSET' } : { code: 'ERROR', message: failed },
  };
}

export const user = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] });
export const assistant = (content: string) => ({ role: 'assistant', parts: [{ type: 'text', content }] });
export const system = (content: string) => ({ role: 'system', parts: [{ type: 'text', content }] });
export const toolRequests = (...calls: readonly (readonly [id: string, name: string, given?: object])[]) => ({
  role: 'assistant',
  parts: calls.map(([id, name, input = {}]) => ({ type: 'tool_call', id, name, arguments: input })),
});
export const toolResponse = (id: string, response: unknown) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id, response }],
});

/** A call of a model: what it was given, and what it answered. */
export function model(place: SpanPlacement, input: readonly object[], ...answers: readonly object[]): ExportedSpan {
  return span(place, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify(answers),
  });
}

/** A model of which no content was recorded. */
export function modelWithoutContent(place: SpanPlacement): ExportedSpan {
  return span(place, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' });
}

export function tool(
  place: SpanPlacement,
  name: string,
  call?: string,
  result?: unknown,
  input?: object,
): ExportedSpan {
  return span(place, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    ...(call !== undefined && { 'gen_ai.tool.call.id': call }),
    ...(input && { 'gen_ai.tool.call.arguments': JSON.stringify(input) }),
    ...(result !== undefined && { 'gen_ai.tool.call.result': result }),
  });
}

export function agent(place: SpanPlacement, name: string, more: Readonly<Record<string, unknown>> = {}): ExportedSpan {
  return span(place, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name, ...more });
}

/** A program around models: a workflow, of which input and output may be recorded. */
export function chain(place: SpanPlacement, input?: unknown, output?: unknown): ExportedSpan {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return span(place, {
    'traceloop.span.kind': 'workflow',
    ...(input !== undefined && { 'traceloop.entity.input': text(input) }),
    ...(output !== undefined && { 'traceloop.entity.output': text(output) }),
  });
}

export function read(...spans: readonly ExportedSpan[]): ReadResult {
  return spanList.read(json(spans, 'dump.json'));
}

export function session(...spans: readonly ExportedSpan[]): Session {
  return onlySession(read(...spans));
}

/** What was asked and answered, turn by turn. */
export function exchanges({ turns }: Session): [string | null, string | null][] {
  return turns.map(({ input, output }) => [input, output]);
}

/** Names and outcomes of calls, turn by turn. */
export function calls({ turns }: Session): string[][] {
  return turns.map((turn) => agentToolCalls(turn).map(({ name, outcome }) => `${name} ${outcome}`));
}

/** The kinds of steps of a turn, tools by their names and sub-agents with theirs. */
export function steps({ turns }: Session, index = 0): string[] {
  return (turns[index]?.steps ?? []).map((step) => {
    if (step.type === 'tool') return step.name;
    return step.type === 'agent' ? `agent ${step.name}` : step.type;
  });
}
