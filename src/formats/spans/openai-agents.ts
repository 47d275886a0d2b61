import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, getString, isObject, type JsonObject } from '../../core/json.ts';
import type { Pointer, Session } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { compareStart } from '../values.ts';
import { fieldsOf } from './attributes.ts';
import { openAiAgents as dialect, UNKNOWN_TOOL } from './dialects/openai-agents.ts';
import { isRunState, sessionOfState } from './openai-agents-state.ts';
import { sessionsOfTraces, type TraceSource } from './sessions.ts';
import type { Span } from './span.ts';
import { preciseIsoTime } from './time.ts';

/** Exports of the OpenAI Agents SDK: traces, where those of one group are a session, and stored run states. */
export const openAiAgents: SyncFormat = {
  name: 'openai-agents',
  title: 'OpenAI Agents SDK',
  description: 'A trace export {data: [trace, trace.span, …]} of the OpenAI Agents SDK, or a RunState',
  joins: 'session-id',

  detect({ value }) {
    const first = sample(value);
    if (mostly(first, isRunState)) return 'a run state of the OpenAI Agents SDK';
    const objects = first.flatMap((entry) => getArray(entry, 'data')?.slice(0, 20) ?? [entry]);
    return mostly(objects, isTraceOrSpan) ? 'a list of `trace` and `trace.span` with `span_data`' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const states = [...records(document)].filter(([, value]) => isRunState(value));
    if (states.length > 0) return { sessions: sessionsOfStates(states, document, problems), problems: problems.list() };
    const file = { file: document.file, format: openAiAgents.name, problems, dialects: [dialect] };
    return { sessions: sessionsOfTraces(tracesOf(document), file), problems: problems.list() };
  },
};

function isTraceOrSpan(value: unknown): boolean {
  const object = get(value, 'object');
  if (object === 'trace') return typeof get(value, 'workflow_name') === 'string';
  return object === 'trace.span' && typeof get(getObject(value, 'span_data'), 'type') === 'string';
}

function sessionsOfStates(
  states: readonly (readonly [Pointer, unknown])[],
  { file }: Document,
  problems: Problems,
): Session[] {
  const sessions = states.map(([pointer, state]) => {
    const source = { file, format: openAiAgents.name, pointer };
    return sessionOfState(state, source, `${stemOf(file)}${pointer.replace('/', '-')}`, problems);
  });
  return withUniqueIds(sessions, problems);
}

/** The traces of an export, or of a list or lines of exports, with their spans. */
function tracesOf(document: Document): TraceSource[] {
  const groups = new Map<string, string>();
  const traces = new Map<string, Map<string, ExportedObject>>();
  for (const object of objectsIn(document)) {
    const { value } = object;
    const id = getString(value, 'id') ?? '';
    if (get(value, 'object') === 'trace') {
      const group = getString(value, 'group_id');
      if (group) groups.set(id, group);
    } else if (getObject(value, 'span_data')) {
      const traceId = getString(value, 'trace_id') ?? '';
      const spans = traces.get(traceId) ?? new Map<string, ExportedObject>();
      // An exporter that retries sends a span twice.
      if (!spans.has(id)) spans.set(id, object);
      traces.set(traceId, spans);
    }
  }
  return Array.from(traces, ([id, spans]) => ({
    id,
    session: groups.get(id),
    read: () => withUnknownTool(Array.from(spans.values(), (span) => spanOf(span, id))),
  }));
}

interface ExportedObject {
  readonly value: JsonObject;
  readonly pointer: Pointer;
}

function* objectsIn(document: Document): Generator<ExportedObject> {
  for (const [pointer, value] of records(document)) {
    const data = getArray(value, 'data');
    if (!data && isObject(value)) yield { value, pointer };
    for (const [index, inner] of (data ?? []).entries()) {
      if (isObject(inner)) yield { value: inner, pointer: `${pointer}/data/${index}` };
    }
  }
}

function spanOf({ value, pointer }: ExportedObject, traceId: string): Span {
  const attributes = fieldsOf(get(value, 'span_data'), `${pointer}/span_data`);
  return {
    traceId,
    spanId: getString(value, 'id') ?? '',
    parentId: getString(value, 'parent_id'),
    name: attributes.text('name', 'type') ?? '',
    scope: 'openai-agents',
    startedAt: preciseIsoTime(get(value, 'started_at')),
    endedAt: preciseIsoTime(get(value, 'ended_at')),
    error: failureOf(get(value, 'error')),
    attributes,
    events: [],
    pointer,
  };
}

function failureOf(error: unknown): string | undefined {
  const data = get(error, 'data');
  const tool = getString(data, 'tool_name');
  const message = getString(error, 'message');
  if (message === 'Tool not found' && tool !== undefined) return `Tool ${tool} not found`;
  return getString(data, 'error') || message;
}

/**
 * Adds the call of an unknown tool, which ends the run and is only named in errors of enclosing spans. It was requested
 * by the model span with such an error, else by the last model span of the agent with it.
 */
function withUnknownTool(spans: readonly Span[]): readonly Span[] {
  const failed = spans.filter((span) => unknownToolIn(span) !== undefined);
  const turn = failed.find((span) => dialect.kindOf(span) === 'model');
  const agent = failed.find((span) => dialect.kindOf(span) === 'agent');
  const models = spans.filter((span) => dialect.kindOf(span) === 'model' && span.parentId === agent?.spanId);
  const last = models.reduce<Span | undefined>(
    (first, other) => (first && compareStart(first, other) > 0 ? first : other),
    undefined,
  );
  const model = turn ?? last;
  const tool = unknownToolIn(turn ?? agent);
  // If the model's output is recorded, it contains the request.
  if (!model || tool === undefined || dialect.hasContent(model)) return spans;
  const attribute = { value: tool, pointer: model.pointer };
  const requesting = { ...model, error: undefined, attributes: model.attributes.with(UNKNOWN_TOOL, attribute) };
  return spans.map((span) => (span === model ? requesting : span));
}

function unknownToolIn(span: Span | undefined): string | undefined {
  return /\bTool (\S+) not found(?: in agent\b|$)/.exec(span?.error ?? '')?.[1];
}
