import type { Document } from '../../core/document.ts';
import { get, getArray, getString, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { definedEntries, isoTime } from '../values.ts';
import { fieldsOf } from './attributes.ts';
import { pandaProbe as dialect } from './dialects/pandaprobe.ts';
import { sessionsOfTraces, type TraceSource } from './sessions.ts';
import type { Span } from './span.ts';

/** PandaProbe traces. A trace is a turn; the traces with the same `session_id` are a session. */
export const pandaProbe: SyncFormat = {
  name: 'pandaprobe',
  title: 'PandaProbe trace',
  description: 'A trace {trace_id, session_id, spans}, a list or page of them, or a session {session_id, traces}',
  joins: 'session-id',

  detect({ value }) {
    if (mostly(sample(value), isTrace)) return 'a `trace_id` and `spans` with `kind` and `status`';
    const holds = mostly(sample(value), (entry) =>
      mostly(sample(tracesIn(entry, '').map(({ trace }) => trace)), isTrace),
    );
    return holds ? 'a session or a page of traces with a `trace_id` and `spans`' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const file = { file: document.file, format: pandaProbe.name, problems, dialects: [dialect], metadata };
    return { sessions: sessionsOfTraces(tracesOf(document, problems), file), problems: problems.list() };
  },
};

const STATUSES: ReadonlySet<unknown> = new Set(['UNSET', 'OK', 'ERROR', 'PENDING', 'RUNNING', 'COMPLETED']);
const KINDS: ReadonlySet<unknown> = new Set(['AGENT', 'TOOL', 'LLM', 'RETRIEVER', 'CHAIN', 'EMBEDDING', 'OTHER']);

function isTrace(value: unknown): boolean {
  const spans = getArray(value, 'spans');
  if (!spans || typeof get(value, 'trace_id') !== 'string' || !STATUSES.has(get(value, 'status'))) return false;
  return spans.length === 0 ? isoTime(get(value, 'started_at')) !== undefined : mostly(sample(spans), isSpan);
}

function isSpan(value: unknown): boolean {
  return typeof get(value, 'span_id') === 'string' && KINDS.has(get(value, 'kind'));
}

function* tracesOf(document: Document, problems: Problems): Generator<TraceSource> {
  for (const { trace, session, pointer } of [...records(document)].flatMap(([at, value]) => tracesIn(value, at))) {
    const spans = getArray(trace, 'spans');
    if (!spans) {
      problems.error('not-a-trace', pointer, 'Cannot read this trace: it has no list of `spans`.');
      continue;
    }
    for (const [index, span] of spans.entries()) {
      if (!isObject(span))
        problems.warn('not-a-span', `${pointer}/spans/${index}`, 'Span skipped: it is not an object.');
    }
    const id = getString(trace, 'trace_id') || `${stemOf(document.file)}${pointer.replaceAll('/', '-')}`;
    yield { id, session: getString(trace, 'session_id') ?? session, read: () => spansOf(trace, spans, id, pointer) };
  }
}

interface LocatedTrace {
  readonly trace: unknown;
  /** The id of the session around it. */
  readonly session: string | undefined;
  readonly pointer: Pointer;
}

/** A page contains sessions or traces, and a session contains traces. */
const MAX_DEPTH = 2;

/** The traces of a session or of a page of the API; else the value itself. */
function tracesIn(value: unknown, pointer: Pointer, session?: string, depth = 0): readonly LocatedTrace[] {
  const key = depth < MAX_DEPTH ? LISTS.find((name) => getArray(value, name)) : undefined;
  if (key === undefined || getArray(value, 'spans')) return [{ trace: value, session, pointer }];
  const id = getString(value, 'session_id') ?? session;
  return (getArray(value, key) ?? []).flatMap((inner, index) =>
    tracesIn(inner, `${pointer}/${key}/${index}`, id, depth + 1),
  );
}

const LISTS = ['items', 'traces'] as const;

/** The id of the span for the trace itself, the parent of its spans. */
const TOP = '#trace';

function spansOf(trace: unknown, values: readonly unknown[], id: string, pointer: Pointer): readonly Span[] {
  const ids = new Set(values.map((value) => getString(value, 'span_id')));
  const spans = values.flatMap((value, index): Span[] => {
    if (!isObject(value)) return [];
    const span = spanOf(value, id, getString(value, 'span_id') || `#${index}`, `${pointer}/spans/${index}`);
    const parent = getString(value, 'parent_span_id');
    return [{ ...span, parentId: parent !== undefined && ids.has(parent) ? parent : TOP }];
  });
  return [spanOf(trace, id, TOP, pointer), ...spans];
}

function spanOf(value: unknown, traceId: string, spanId: string, pointer: Pointer): Span {
  return {
    traceId,
    spanId,
    parentId: undefined,
    name: getString(value, 'name') ?? '',
    scope: '',
    startedAt: isoTime(get(value, 'started_at')),
    endedAt: isoTime(get(value, 'ended_at')),
    error: failureOf(value),
    attributes: fieldsOf(value, pointer),
    events: [],
    pointer,
  };
}

/** The error of a failed span. */
function failureOf(span: unknown): string | undefined {
  const error = getString(span, 'error');
  if (error !== undefined && error !== '') return error;
  return get(span, 'status') === 'ERROR' ? 'The span has the status ERROR and no message.' : undefined;
}

function metadata({ attributes }: Span) {
  return definedEntries({
    name: attributes.text('name'),
    user_id: attributes.text('user_id'),
    environment: attributes.text('environment'),
    release: attributes.text('release'),
    tags: getArray({ tags: attributes.get('tags') }, 'tags'),
  });
}
