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
  description: 'A trace {trace_id, session_id, spans}, or a list of them; traces of one session are joined',
  joins: 'session-id',

  detect({ value }) {
    return mostly(sample(value), isTrace) ? 'a `trace_id` and `spans` with `kind` and `status`' : null;
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
  for (const [pointer, value] of records(document)) {
    const spans = getArray(value, 'spans');
    if (!spans) {
      problems.error('not-a-trace', pointer, 'Cannot read this trace: it has no list of `spans`.');
      continue;
    }
    for (const [index, span] of spans.entries()) {
      if (!isObject(span))
        problems.warn('not-a-span', `${pointer}/spans/${index}`, 'Span skipped: it is not an object.');
    }
    const id = getString(value, 'trace_id') || `${stemOf(document.file)}${pointer.replace('/', '-')}`;
    yield { id, session: getString(value, 'session_id'), read: () => spansOf(value, spans, id, pointer) };
  }
}

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
