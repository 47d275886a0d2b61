import { get, getArray, getId, getNumber, getObject, getString, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import { firstPresent, firstPresentKey } from '../values.ts';
import { type Attributes, attributesOf, NO_ATTRIBUTES, plainAttribute } from './attributes.ts';
import { listedScores } from './scores.ts';
import type { Span, SpanEvent, SpanSource } from './span.ts';
import { preciseIsoTime, preciseIsoTimeAfter } from './time.ts';

/**
 * Reads a span in any notation of collectors, SDKs and stores, which differ in the names of fields: OTLP, the
 * exporters of the Python and JavaScript SDKs, Jaeger, Phoenix, MLflow, and rows of ClickHouse.
 */

const CONTEXT = ['context', 'spanContext', 'span_context'] as const;

/** The id of a span's trace; undefined if the value is not a span. */
export function traceIdOf(span: unknown): string | undefined {
  const own = idOf(span, 'traceId', 'trace_id', 'traceID', 'TraceId');
  return own ?? idOf(firstPresent(span, ...CONTEXT), 'traceId', 'trace_id');
}

export function spanIdOf(span: unknown): string | undefined {
  const own = idOf(span, 'spanId', 'span_id', 'spanID', 'SpanId');
  return own ?? idOf(firstPresent(span, ...CONTEXT), 'spanId', 'span_id');
}

/** A span that is read on demand. */
export function spanSource(value: unknown, pointer: Pointer, scope = '', trace = ''): SpanSource {
  return { traceId: traceIdOf(value) ?? trace, read: () => readSpan(value, pointer, scope, trace) };
}

export function readSpan(value: unknown, pointer: Pointer, scope = '', trace = ''): Span {
  const key = firstPresentKey(value, 'attributes', 'tags', 'span_attributes', 'SpanAttributes');
  const attributes = key === undefined ? NO_ATTRIBUTES : attributesOf(get(value, key), childPointer(pointer, key));
  const events = eventsOf(value, pointer);
  const kind = getString(value, 'span_kind');
  const startedAt = preciseIsoTime(
    firstPresent(
      value,
      'startTimeUnixNano',
      'start_time_unix_nano',
      'start_time',
      'startTime',
      'timestamp',
      'Timestamp',
    ),
  );
  const endedAt = preciseIsoTime(firstPresent(value, 'endTimeUnixNano', 'end_time_unix_nano', 'end_time', 'endTime'));
  const duration = endedAt === undefined && startedAt !== undefined ? durationOf(value) : undefined;
  const end = endedAt ?? (duration && preciseIsoTimeAfter(startedAt, duration.amount, duration.decimals));
  return {
    traceId: traceIdOf(value) ?? trace,
    spanId: spanIdOf(value) ?? '',
    parentId: parentIdOf(value) || undefined,
    name: textOf(value, 'name', 'operationName', 'span_name', 'SpanName') ?? '',
    scope: scope || scopeOf(value, attributes),
    startedAt,
    endedAt: end,
    ...(duration && duration.amount >= 0 && end === undefined && { hasEndlessDuration: true }),
    error: failureOf(value, attributes, events),
    attributes:
      kind !== undefined && OPEN_INFERENCE.test(kind)
        ? attributes.with('openinference.span.kind', { value: kind, pointer: `${pointer}/span_kind` })
        : attributes,
    events,
    scores: listedScores(
      getArray(value, 'annotations') ?? [],
      (annotation) => get(annotation, 'name'),
      (annotation) => [get(get(annotation, 'result'), 'score'), get(get(annotation, 'result'), 'label')],
      (index) => `${pointer}/annotations/${index}`,
    ),
    pointer,
  };
}

/** Phoenix keeps the kind next to the attributes. Others use this key for the role of a span in a remote call. */
const OPEN_INFERENCE = /^(?:LLM|TOOL|AGENT|CHAIN|RETRIEVER|EMBEDDING|RERANKER|GUARDRAIL|EVALUATOR|PROMPT)$/;

/** Reads a log record as an event. */
export function readEvent(value: unknown, pointer: Pointer): SpanEvent {
  const key = firstPresentKey(value, 'attributes', 'fields', 'event_attributes');
  const attributes = key === undefined ? NO_ATTRIBUTES : attributesOf(get(value, key), childPointer(pointer, key));
  const body = get(value, 'body');
  const own = textOf(value, 'name', 'event_name', 'eventName', 'Name');
  return {
    name: own ?? attributes.text('event.name', 'event', 'message') ?? '',
    at: preciseIsoTime(
      firstPresent(value, 'timeUnixNano', 'time_unix_nano', 'observedTimeUnixNano', 'timestamp', 'time'),
    ),
    attributes,
    body: body === undefined || body === null ? undefined : plainAttribute(body, `${pointer}/body`),
  };
}

function idOf(value: unknown, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const id = getId(value, key);
    if (id !== undefined && id !== '') return id;
  }
  return undefined;
}

function textOf(value: unknown, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = getString(value, key);
    if (text !== undefined) return text;
  }
  return undefined;
}

function parentIdOf(value: unknown): string | undefined {
  const own = idOf(value, 'parentSpanId', 'parent_span_id', 'parentId', 'parent_id', 'ParentSpanId', 'parentSpanID');
  if (own !== undefined) return own;
  const parent = firstPresent(value, 'parent', 'parentSpanContext', 'parent_span_context');
  if (parent !== undefined) return idOf(parent, 'spanId', 'span_id');
  const references = getArray(value, 'references') ?? [];
  return idOf(references.find((reference) => get(reference, 'refType') === 'CHILD_OF') ?? references[0], 'spanID');
}

function scopeOf(value: unknown, attributes: Attributes): string {
  const scope = firstPresent(value, 'scope', 'instrumentationScope', 'instrumentation_scope', 'instrumentationLibrary');
  const name = isObject(scope) ? getString(scope, 'name') : getString(value, 'ScopeName');
  return name ?? attributes.text('otel.scope.name', 'otel.library.name') ?? '';
}

/** Jaeger writes a duration in microseconds, ClickHouse in nanoseconds, others as ISO 8601. */
function durationOf(value: unknown): { readonly amount: number; readonly decimals: 6 | 9 } | undefined {
  const iso = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(getString(value, 'duration') ?? '');
  if (iso) {
    const [hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
    const amount = Math.round(((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1e6);
    return { amount, decimals: 6 };
  }
  const nanos = getNumber(value, 'Duration') ?? getNumber(value, 'durationNano');
  const amount = nanos ?? getNumber(value, 'duration');
  return amount === undefined ? undefined : { amount, decimals: nanos === undefined ? 6 : 9 };
}

function eventsOf(value: unknown, pointer: Pointer): SpanEvent[] {
  const key = firstPresentKey(value, 'events', 'span_events', 'logs');
  const events = key === undefined ? [] : (getArray(value, key) ?? []);
  return events.map((event, index) => readEvent(event, `${pointer}/${key}/${index}`));
}

function isFailure(code: unknown): boolean {
  return code === 2 || (typeof code === 'string' && /^(?:2|(?:STATUS_CODE_)?ERROR)$/i.test(code));
}

/** The error message of a span, or else the type of the error. */
function failureOf(value: unknown, attributes: Attributes, events: readonly SpanEvent[]): string | undefined {
  const status = getObject(value, 'status');
  const code =
    firstPresent(status, 'code', 'status_code', 'statusCode') ??
    firstPresent(value, 'status_code', 'statusCode', 'StatusCode') ??
    attributes.get('otel.status_code') ??
    getString(value, 'status');
  const kind = attributes.text('error.type');
  const flag = attributes.get('error');
  const failed = isFailure(code) || flag === true || flag === 'true';
  if (!failed && kind === undefined) return undefined;
  const statusMessage =
    textOf(status, 'message', 'description') ??
    textOf(value, 'status_message', 'statusMessage', 'StatusMessage') ??
    attributes.text('otel.status_description');
  const exception = events.find(({ name }) => name === 'exception')?.attributes;
  const [type, message] = [exception?.text('exception.type'), exception?.text('exception.message')];
  const thrown = type && message ? `${type}: ${message}` : (message ?? type);
  return (
    statusMessage ||
    thrown ||
    attributes.text('error.message') ||
    kind ||
    'The span has the status ERROR and no message.'
  );
}
