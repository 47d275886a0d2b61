import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, getString, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { firstPresent, isoTime } from '../values.ts';
import { type Attribute, Attributes } from './attributes.ts';
import {
  COST,
  DEFINITIONS,
  langfuse as dialect,
  INPUT,
  METADATA,
  MODEL,
  OUTPUT,
  TRACE_TAGS,
  TYPE,
  USAGE,
} from './dialects/langfuse.ts';
import { fieldOf, type LocatedField, scoreEvent, textOf } from './located-fields.ts';
import { eventScores } from './scores.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { Span, SpanEvent, SpanScore, SpanSource } from './span.ts';
import { preciseIsoTime } from './time.ts';

/** Langfuse exports: a trace is a turn, and the traces of one session id are a session. */
export const langfuse: SyncFormat = {
  name: 'langfuse',
  title: 'Langfuse export',
  description: 'A trace or session downloaded from Langfuse, pages of its API, or rows of an export; traces are joined',
  joins: 'session-id',

  detect({ value, lines }) {
    const entries = Array.isArray(value) ? sample(value) : [value];
    if (mostly(entries, isExport)) return 'a Langfuse trace with its `observations`';
    if (mostly(entries, isSession)) return 'a Langfuse session with its `traces`';
    if (mostly(entries, isRow)) return lines ? 'a row of a Langfuse export on every line' : 'rows of a Langfuse export';
    const page = getArray(value, 'data');
    const rows = page && sample(page);
    return rows && (mostly(rows, isRow) || mostly(rows, isExport)) ? 'a page of Langfuse traces or observations' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const content = new LangfuseExport(document, problems);
    const sessionScores = (session: string) => content.sessionScores(session);
    const file = { file: document.file, format: langfuse.name, problems, dialects: [dialect], sessionScores };
    return { sessions: sessionsOfSpans(content.spans(), file), problems: problems.list() };
  },
};

/** The observations of a document as spans, below one span per trace. */
export function langfuseSpans(document: Document, problems: Problems): readonly SpanSource[] {
  return new LangfuseExport(document, problems).spans();
}

const TYPES: ReadonlySet<unknown> = new Set([
  'SPAN',
  'EVENT',
  'GENERATION',
  'AGENT',
  'TOOL',
  'CHAIN',
  'RETRIEVER',
  'EVALUATOR',
  'EMBEDDING',
  'GUARDRAIL',
]);

function isObservation(value: unknown): boolean {
  return (
    getString(value, 'id') !== undefined &&
    TYPES.has(get(value, 'type')) &&
    (isoTime(firstPresent(value, 'startTime', 'start_time')) !== undefined || traceIdIn(value) !== undefined)
  );
}

const TRACE_KEYS = [
  'sessionId',
  'session_id',
  'userId',
  'user_id',
  'projectId',
  'project_id',
  'environment',
  'release',
  'bookmarked',
  'public',
  'tags',
  'htmlPath',
  'latency',
] as const;

/** Keys of a trace. Time and input occur in other logs too, so several keys must match. */
function isTrace(value: unknown): boolean {
  if (getString(value, 'id') === undefined || isoTime(get(value, 'timestamp')) === undefined) return false;
  if (!isObject(value) || (!Object.hasOwn(value, 'input') && !Object.hasOwn(value, 'output'))) return false;
  return TRACE_KEYS.filter((key) => Object.hasOwn(value, key)).length >= 3;
}

function isRow(value: unknown): boolean {
  return isObservation(value) || (isTrace(value) && getArray(value, 'observations') === undefined);
}

function isExport(value: unknown): boolean {
  const trace = get(value, 'trace');
  const observations = getArray(value, 'observations') ?? getArray(trace, 'observations');
  if (!observations) return false;
  if (mostly(sample(observations), isObservation)) return true;
  // Lists of traces only have the ids of observations.
  const named = sample(observations).every((observation) => typeof observation === 'string');
  return named && (isTrace(trace) || isTrace(value));
}

function isSession(value: unknown): boolean {
  const traces = getArray(value, 'traces');
  return getString(value, 'id') !== undefined && traces !== undefined && mostly(sample(traces), isTrace);
}

function traceIdIn(value: unknown): string | undefined {
  return getString(value, 'traceId') ?? getString(value, 'trace_id');
}

/** A trace or an observation. Exports may contain one twice, once without input and output. */
interface LangfuseRecord {
  readonly id: string;
  readonly parts: LocatedField[];
}

interface LangfuseObservation extends LangfuseRecord {
  readonly traceId: string;
}

/** Ids and depth from the enclosing values. */
interface EnclosingIds {
  readonly traceId?: string;
  readonly session?: string;
  readonly depth: number;
}

/** Maximum nesting: pages contain sessions, which contain traces, which contain observations. */
const MAX_DEPTH = 5;

/** The traces, observations and scores of a document, at any level. */
class LangfuseExport {
  readonly #traces = new Map<string, LangfuseRecord>();
  readonly #observations = new Map<string, LangfuseObservation>();
  readonly #sessions = new Map<string, string>();
  /** Scores by their observation, else by their trace. */
  readonly #scores = new Map<string, SpanEvent[]>();
  /** Scores of sessions by session. */
  readonly #sessionScores = new Map<string, SpanScore[]>();
  readonly #problems: Problems;

  constructor(document: Document, problems: Problems) {
    this.#problems = problems;
    for (const [pointer, value] of records(document)) this.#add({ value, pointer }, { depth: 0 });
  }

  #add(part: LocatedField, { traceId, session, depth }: EnclosingIds): void {
    const { value, pointer } = part;
    if (!isObject(value) || depth > MAX_DEPTH) {
      this.#problems.warn('not-a-trace', pointer, 'Entry skipped: it is neither a trace nor an observation.');
      return;
    }
    const id = getString(value, 'id') || undefined;
    if (id !== undefined && TYPES.has(get(value, 'type'))) {
      this.#addObservation(id, part, traceIdIn(value) ?? traceId ?? id);
      return;
    }
    const trace = getObject(value, 'trace');
    const traces = entriesOf(part, 'traces');
    const own = trace || traces.length > 0 ? undefined : id;
    if (own !== undefined) this.#addTrace(own, part, session);
    const inner: EnclosingIds = {
      traceId: own ?? getString(trace, 'id') ?? traceId,
      session: traces.length > 0 ? id : session,
      depth: depth + 1,
    };
    if (trace) this.#add({ value: trace, pointer: `${pointer}/trace` }, inner);
    for (const entry of [...entriesOf(part, 'data'), ...traces]) this.#add(entry, inner);
    for (const entry of entriesOf(part, 'observations')) {
      // Lists of traces only have the ids of observations.
      if (typeof entry.value !== 'string') this.#add(entry, inner);
    }
    for (const entry of entriesOf(part, 'scores')) this.#addScore(entry, inner);
  }

  #addTrace(id: string, part: LocatedField, session: string | undefined): void {
    const existing = this.#traces.get(id);
    if (existing) existing.parts.push(part);
    else this.#traces.set(id, { id, parts: [part] });
    this.#addSession(id, part, session);
  }

  #addObservation(id: string, part: LocatedField, traceId: string): void {
    const existing = this.#observations.get(id);
    if (existing) existing.parts.push(part);
    else this.#observations.set(id, { id, traceId, parts: [part] });
    this.#addSession(traceId, part);
  }

  #addSession(traceId: string, { value }: LocatedField, session?: string): void {
    const id = session ?? firstPresent(value, 'sessionId', 'session_id');
    if (typeof id === 'string' && id !== '' && !this.#sessions.has(traceId)) this.#sessions.set(traceId, id);
  }

  #addScore({ value, pointer }: LocatedField, { traceId, session }: EnclosingIds): void {
    const of = firstPresent(value, 'observationId', 'observation_id') ?? traceIdIn(value) ?? traceId;
    // The number of a category is only its position in a list.
    const keys = ['value', 'stringValue', 'string_value'] as const;
    const isCategory = firstPresent(value, 'dataType', 'data_type') === 'CATEGORICAL';
    const score = firstPresent(value, ...(isCategory ? keys.toReversed() : keys));
    const event = scoreEvent(getString(value, 'name') ?? '', score, pointer);
    if (!event) return;
    if (typeof of !== 'string') {
      const sessionId = firstPresent(value, 'sessionId', 'session_id') ?? session;
      if (typeof sessionId === 'string') this.#addSessionScore(sessionId, event);
      return;
    }
    const events = this.#scores.get(of);
    if (events) events.push(event);
    else this.#scores.set(of, [event]);
  }

  #addSessionScore(session: string, event: SpanEvent): void {
    const scores = this.#sessionScores.get(session);
    if (scores) scores.push(...eventScores(event));
    else this.#sessionScores.set(session, [...eventScores(event)]);
  }

  /** The scores of a session as a whole. */
  sessionScores(session: string): readonly SpanScore[] {
    return this.#sessionScores.get(session) ?? [];
  }

  /** Spans of traces, and below them of observations. */
  spans(): readonly SpanSource[] {
    const sources: SpanSource[] = [];
    for (const trace of this.#traces.values()) {
      if (!this.#isRecorded(trace.id)) continue;
      sources.push({ traceId: trace.id, session: this.#sessions.get(trace.id), read: () => this.#traceSpan(trace) });
    }
    for (const observation of this.#observations.values()) {
      const { traceId } = observation;
      const session = this.#sessions.get(traceId);
      sources.push({ traceId, session, read: () => this.#observationSpan(observation) });
    }
    return sources;
  }

  /** Whether a trace has an input or output of its own. */
  #isRecorded(traceId: string): boolean {
    const parts = this.#traces.get(traceId)?.parts ?? [];
    return fieldOf(parts, 'input') !== undefined || fieldOf(parts, 'output') !== undefined;
  }

  /** The scores of an observation; a top-level one also has those of its trace, unless the trace has a span. */
  #scoresOf(id: string, parent: string | undefined, traceId: string): readonly SpanEvent[] {
    const own = this.#scores.get(id) ?? [];
    const isTop = parent === undefined && !this.#isRecorded(traceId);
    return isTop ? [...own, ...(this.#scores.get(traceId) ?? [])] : own;
  }

  /** Those of the trace, which has no span of its own where it has no input and no output. */
  #tagsOf(traceId: string): (readonly [string, Attribute])[] {
    const tags = fieldOf(this.#traces.get(traceId)?.parts ?? [], 'tags');
    return tags ? [[TRACE_TAGS, tags]] : [];
  }

  /** A span with a trace's input and output, as the parent of its top-level observations. */
  #traceSpan({ id, parts }: LangfuseRecord): Span {
    return {
      traceId: id,
      spanId: rootOf(id),
      parentId: undefined,
      name: textOf(parts, 'name') ?? '',
      scope: 'langfuse',
      startedAt: preciseIsoTime(fieldOf(parts, 'timestamp')?.value),
      endedAt: undefined,
      error: undefined,
      attributes: attributesOf(parts, TRACE_FIELDS, [[TYPE, { value: 'SPAN', pointer: parts[0]?.pointer ?? '' }]]),
      events: this.#scores.get(id) ?? [],
      pointer: parts[0]?.pointer ?? '',
    };
  }

  #observationSpan({ id, traceId, parts }: LangfuseObservation): Span {
    const failed = textOf(parts, 'level') === 'ERROR';
    const parent = textOf(parts, 'parentObservationId', 'parent_observation_id');
    return {
      traceId,
      spanId: id,
      parentId: parent ?? rootOf(traceId),
      name: textOf(parts, 'name') ?? '',
      scope: 'langfuse',
      startedAt: preciseIsoTime(fieldOf(parts, 'startTime', 'start_time')?.value),
      endedAt: preciseIsoTime(fieldOf(parts, 'endTime', 'end_time')?.value),
      error: failed
        ? (textOf(parts, 'statusMessage', 'status_message') ?? 'The observation has the level ERROR and no message.')
        : undefined,
      attributes: attributesOf(parts, FIELDS, [...originalAttributes(parts), ...this.#tagsOf(traceId)]),
      events: this.#scoresOf(id, parent, traceId),
      pointer: parts.at(-1)?.pointer ?? '',
    };
  }
}

function rootOf(traceId: string): string {
  return `trace:${traceId}`;
}

function entriesOf({ value, pointer }: LocatedField, key: string): LocatedField[] {
  return (getArray(value, key) ?? []).map((entry, index) => ({ value: entry, pointer: `${pointer}/${key}/${index}` }));
}

const TRACE_FIELDS = [
  [INPUT, 'input'],
  [OUTPUT, 'output'],
  [TRACE_TAGS, 'tags'],
  ['user.id', 'userId', 'user_id'],
] as const;

const FIELDS = [
  [TYPE, 'type'],
  [INPUT, 'input'],
  [OUTPUT, 'output'],
  [MODEL, 'model', 'providedModelName', 'provided_model_name'],
  [USAGE, 'usageDetails', 'usage_details', 'usage'],
  [COST, 'costDetails', 'cost_details', 'totalCost', 'total_cost', 'calculatedTotalCost'],
  [METADATA, 'metadata'],
  [DEFINITIONS, 'toolDefinitions', 'tool_definitions'],
  ['user.id', 'userId', 'user_id'],
] as const;

function attributesOf(
  parts: readonly LocatedField[],
  fields: readonly (readonly [string, ...string[]])[],
  others: Iterable<readonly [string, Attribute]>,
): Attributes {
  const entries = new Map(others);
  for (const [key, ...names] of fields) {
    const field = fieldOf(parts, ...names);
    if (field) entries.set(key, field);
  }
  return new Attributes(entries);
}

/** The attributes of the original span in the metadata, and the thread id of LangGraph. */
function* originalAttributes(parts: readonly LocatedField[]): Generator<readonly [string, Attribute]> {
  const metadata = fieldOf(parts, 'metadata');
  if (!metadata) return;
  const fields = parseQuotedJson(metadata.value);
  const isText = typeof metadata.value === 'string';
  const place = (...keys: readonly string[]) => (isText ? metadata.pointer : childPointer(metadata.pointer, ...keys));
  const attributes = getObject(fields, 'attributes');
  for (const [key, value] of Object.entries(attributes ?? {})) {
    yield [key, { value, pointer: place('attributes', key) }];
  }
  for (const key of ['thread_id', 'session_id'] as const) {
    const value = getString(fields, key);
    if (value !== undefined) yield [`metadata.${key}`, { value, pointer: place(key) }];
  }
}
