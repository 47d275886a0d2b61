import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getString, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { firstPresent } from '../values.ts';
import { isAnyAgentSpan } from './any-agent.ts';
import { attributesOf } from './attributes.ts';
import { readEvent, readSpan, spanIdOf, spanSource, traceIdOf } from './read-span.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { LogSource, SpanSource } from './span.ts';

/**
 * Dumped spans: a list or lines of SDK exporter output, database rows or CloudWatch records; an object with such a
 * list; or the attributes of a single span.
 */
export const spanList: SyncFormat = {
  name: 'span-list',
  title: 'List of spans',
  description: 'OpenTelemetry spans dumped one by one: a list, JSON Lines, or {session_id, spans}',
  joins: 'session-id',

  detect({ value, lines }) {
    const entries = sample(value).filter((entry) => !isOtherSignal(entry));
    if (mostly(entries, isRecord) && entries.some(hasMessages))
      return lines ? 'a span on every line' : 'a list of spans';
    if (mostly(entries, (entry) => mostly(sample(listIn(entry) ?? []), isSpan)))
      return 'an object with a list of `spans`';
    return mostly(entries, isBareAttributes) ? 'the attributes of a span' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const { spans, logs } = sourcesOf(document, problems);
    const sessions = sessionsOfSpans(spans, { file: document.file, format: spanList.name, problems }, logs);
    return { sessions, problems: problems.list() };
  },
};

/** Keys of spans of other formats. */
const KEYS_OF_OTHER_FORMATS = ['span_kind', 'child_spans', 'processes', 'run_type'] as const;

function isSpan(value: unknown): boolean {
  const attributes = firstPresent(value, 'attributes', 'SpanAttributes');
  return (
    typeof attributes === 'object' &&
    traceIdOf(value) !== undefined &&
    spanIdOf(value) !== undefined &&
    typeof firstPresent(value, 'name', 'SpanName') === 'string' &&
    !KEYS_OF_OTHER_FORMATS.some((key) => get(value, key) !== undefined) &&
    !isAnyAgentSpan(value)
  );
}

/** Whether a value is a log record with a span id. */
function isLog(value: unknown): boolean {
  return (
    get(value, 'body') !== undefined &&
    get(value, 'name') === undefined &&
    isObject(get(value, 'attributes')) &&
    traceIdOf(value) !== undefined &&
    spanIdOf(value) !== undefined
  );
}

function isRecord(value: unknown): boolean {
  return isSpan(value) || isLog(value);
}

/**
 * Whether a value is a metric, or a log record of JavaScript's SDK, without a body that can be read: Copilot's exporter writes them
 * between the spans, which have all that is in them about turns.
 */
function isOtherSignal(value: unknown): boolean {
  const isOther =
    getArray(value, 'scopeMetrics') !== undefined ||
    getArray(value, 'hrTime') !== undefined ||
    getString(value, 'type') === 'metric';
  return isOther && !isRecord(value);
}

/** Whether a log record has messages of an agent; logs also contain other records. */
function hasMessages(value: unknown): boolean {
  if (isSpan(value)) return true;
  const { name, body } = readEvent(value, '');
  return name.startsWith('gen_ai.') || isObject(get(body?.value, 'input')) || isObject(get(body?.value, 'output'));
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return getArray(value, 'spans');
}

const KINDS = ['openinference.span.kind', 'gen_ai.operation.name', 'traceloop.span.kind', 'ai.operationId'] as const;

function isBareAttributes(value: unknown): boolean {
  return KINDS.some((key) => typeof get(value, key) === 'string') && traceIdOf(value) === undefined;
}

function sourcesOf(document: Document, problems: Problems): { spans: SpanSource[]; logs: LogSource[] } {
  const spans: SpanSource[] = [];
  const logs: LogSource[] = [];
  const add = (value: unknown, pointer: Pointer, session?: string) => {
    const traceId = traceIdOf(value);
    const spanId = spanIdOf(value);
    if (traceId === undefined || spanId === undefined) {
      problems.warn('not-a-span', pointer, 'Entry skipped: it has no trace id and span id.');
    } else if (isLog(value)) {
      logs.push({ traceId, spanId, pointer, value, read: () => readEvent(value, pointer) });
    } else {
      const source = spanSource(value, pointer);
      spans.push(session === undefined ? source : { ...source, session });
    }
  };
  for (const [pointer, value] of records(document)) {
    if (isOtherSignal(value)) continue;
    const list = listIn(value);
    const session = getId(value, 'session_id') ?? getString(value, 'sessionId');
    if (list) for (const [index, span] of list.entries()) add(span, `${pointer}/spans/${index}`, session);
    else if (isBareAttributes(value)) spans.push(bareSpan(value, pointer));
    else add(value, pointer);
  }
  return { spans, logs };
}

/** A span that only has attributes. */
function bareSpan(attributes: unknown, pointer: Pointer): SpanSource {
  const read = () => ({ ...readSpan({}, pointer), spanId: pointer, attributes: attributesOf(attributes, pointer) });
  return { traceId: '', read };
}
