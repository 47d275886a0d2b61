import { get, getArray, getNumber, getObject, getString, isObject, type JsonObject } from '../core/json.ts';
import { attributesOf } from '../formats/spans/attributes.ts';
import { SPAN_DIALECTS } from '../formats/spans/dialects/index.ts';
import { readSpan } from '../formats/spans/read-span.ts';
import { sessionIdOf } from '../formats/spans/session-id.ts';
import { classifySpans, showsAgent } from '../formats/spans/span-tree.ts';
import { timeOrder } from '../formats/spans/time.ts';
import type { OtlpSignal, PartialSuccess } from './otlp-protobuf.ts';
import { redactExport } from './redact-export.ts';

/** What one request has of one trace. */
export interface TracePart {
  readonly traceId: string;
  /** An export of OTLP as one line of JSON, without secrets. */
  readonly line: string;
  readonly spans: readonly SpanFacts[];
}

/** What a span tells about its trace. */
export interface SpanFacts {
  /** Null for a log record. */
  readonly spanId: string | null;
  /** The span above it, where that is recorded by the same program. */
  readonly parentId: string | null;
  readonly showsAgent: boolean;
  /** The conversation that it names, and how much that counts: as for the reader of the file, least first. */
  readonly session: { readonly id: string; readonly order: readonly [isOther: number, start: number] } | null;
}

export interface RequestContent {
  readonly parts: readonly TracePart[];
  /** Sessions that the program says are over. */
  readonly endedSessions: readonly string[];
  readonly partial: PartialSuccess | null;
}

/** The keys of OTLP from the request down to its records. */
const SHAPES = {
  traces: { list: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
  logs: { list: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
} as const;

/** Splits a request by traces. Null: it is no request of OTLP. */
export function readTraceParts(signal: OtlpSignal, request: unknown): RequestContent | null {
  const shape = SHAPES[signal];
  const list = isObject(request) ? (getArray(request, shape.list) ?? []) : null;
  if (!list || (isObject(request) && request[shape.list] !== undefined && !Array.isArray(request[shape.list]))) {
    return null;
  }
  const traces = new Map<string, TraceBuilder>();
  const endedSessions: string[] = [];
  let rejected = 0;
  for (const resource of list) {
    for (const scope of getArray(resource, shape.scopes) ?? []) {
      for (const record of getArray(scope, shape.records) ?? []) {
        const ended = signal === 'logs' ? endedSession(record) : undefined;
        if (ended !== undefined) endedSessions.push(ended);
        const item = withPlainIds(record, signal);
        if (!item) {
          if (ended === undefined) rejected += 1;
          continue;
        }
        let trace = traces.get(item.traceId);
        if (!trace) {
          trace = new TraceBuilder(signal);
          traces.set(item.traceId, trace);
        }
        trace.add(resource, scope, item.record);
      }
    }
  }
  const parts = Array.from(traces, ([traceId, trace]) => trace.build(traceId));
  return { parts, endedSessions, partial: rejected === 0 ? null : { rejected, reason: REASONS[signal] } };
}

/** What a line that was written tells about its trace. */
export function factsOfLine(line: string): readonly SpanFacts[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // A crash has left a part of a line.
    return [];
  }
  return SIGNALS.flatMap((signal) => readTraceParts(signal, value)?.parts ?? []).flatMap(({ spans }) => spans);
}

const SIGNALS = ['traces', 'logs'] as const;

const REASONS = {
  traces: 'Spans without valid trace and span ids were not taken.',
  logs: 'Log records that belong to no span were not taken: only those of a trace are part of a session.',
} as const;

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/i;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/i;

/** A record with ids in lower case, since exporters that write JSON differ; null where it has none. */
function withPlainIds(
  record: unknown,
  signal: OtlpSignal,
): { readonly traceId: string; readonly record: JsonObject } | null {
  const [traceId, spanId] = [getString(record, 'traceId'), getString(record, 'spanId')];
  if (!isObject(record) || traceId === undefined || spanId === undefined) return null;
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) return null;
  const ids = { traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase() };
  const parent = getString(record, 'parentSpanId')?.toLowerCase();
  const isChild = signal === 'traces' && parent !== undefined && SPAN_ID.test(parent);
  const { traceId: _trace, spanId: _span, parentSpanId: _parent, ...rest } = record;
  return { traceId: ids.traceId, record: { ...ids, ...(isChild && { parentSpanId: parent }), ...rest } };
}

/** Of OpenTelemetry's event `session.end`. */
function endedSession(record: unknown): string | undefined {
  if (getString(record, 'eventName') !== 'session.end') return undefined;
  return attributesOf(getArray(record, 'attributes'), '').text('session.id');
}

/** The records of one trace under the resources and scopes that they came with. */
class TraceBuilder {
  readonly #signal: OtlpSignal;
  readonly #resources = new Map<unknown, Map<unknown, JsonObject[]>>();

  constructor(signal: OtlpSignal) {
    this.#signal = signal;
  }

  add(resource: unknown, scope: unknown, record: JsonObject): void {
    let scopes = this.#resources.get(resource);
    if (!scopes) {
      scopes = new Map();
      this.#resources.set(resource, scopes);
    }
    const records = scopes.get(scope);
    if (records) records.push(record);
    else scopes.set(scope, [record]);
  }

  build(traceId: string): TracePart {
    const shape = SHAPES[this.#signal];
    const spans: SpanFacts[] = [];
    const resources = Array.from(this.#resources, ([resource, scopes]) => ({
      ...redactObject(withoutKey(resource, shape.scopes)),
      [shape.scopes]: Array.from(scopes, ([scope, records]) => {
        const outer = redactObject(withoutKey(scope, shape.records));
        const redacted = records.map(redactObject);
        const name = getString(getObject(outer, 'scope'), 'name') ?? '';
        spans.push(
          ...redacted.map((record) => (this.#signal === 'traces' ? spanFacts(record, name) : logFacts(record))),
        );
        return { ...outer, [shape.records]: redacted };
      }),
    }));
    return { traceId, line: `${JSON.stringify({ [shape.list]: resources })}\n`, spans };
  }
}

function withoutKey(value: unknown, key: string): JsonObject {
  if (!isObject(value)) return {};
  const { [key]: _, ...rest } = value;
  return rest;
}

function redactObject(value: JsonObject): JsonObject {
  const redacted = redactExport(value);
  return isObject(redacted) ? redacted : {};
}

/** The bits of a span's flags that say that its parent is known to be in another process. */
const REMOTE_PARENT = 0x300;

function spanFacts(record: JsonObject, scope: string): SpanFacts {
  const span = readSpan(record, '', scope);
  const [act] = classifySpans([span], SPAN_DIALECTS);
  const id = sessionIdOf([span]);
  const flags = getNumber(record, 'flags') ?? 0;
  const isRemote = (flags & REMOTE_PARENT) === REMOTE_PARENT;
  return {
    spanId: span.spanId,
    parentId: isRemote ? null : (span.parentId ?? null),
    showsAgent: act !== undefined && showsAgent(act),
    session: id === undefined ? null : { id, order: [act ? 0 : 1, timeOrder(span.startedAt)] },
  };
}

/** A record of GenAI content is kept even where its span is sent elsewhere. */
function logFacts(record: JsonObject): SpanFacts {
  const name = get(record, 'eventName') ?? attributesOf(get(record, 'attributes'), '').get('event.name');
  const showsAgent = typeof name === 'string' && name.startsWith('gen_ai.');
  return { spanId: null, parentId: null, showsAgent, session: null };
}
