import type { Document } from '../../core/document.ts';
import { getArray, getObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { firstPresentKey } from '../values.ts';
import { isResourceLogs, isResourceSpans, resourceLogs, resourceSpans } from './resource-spans.ts';
import { sessionsOfSpans } from './sessions.ts';

/** OTLP as JSON: sent by OpenTelemetry's exporters, or written by its collector with one object per line. */
export const otlp: SyncFormat = {
  name: 'otlp',
  title: 'OpenTelemetry (OTLP JSON)',
  description: 'Spans and logs as an OpenTelemetry exporter or collector writes them: {resourceSpans}, or one per line',
  joins: 'session-id',

  detect({ value, lines }) {
    const entries = sample(value);
    if (mostly(entries, hasSpans))
      return lines ? 'an export of OTLP spans on every line' : 'an export of OTLP spans in `resourceSpans`';
    if (!mostly(entries, (entry) => hasSpans(entry) || hasLogs(entry))) return null;
    return lines ? 'an export of OTLP spans or logs on every line' : 'an export of OTLP logs in `resourceLogs`';
  },

  read(document) {
    const problems = new Problems(document.file);
    const exports = [...exportsOf(document)];
    const file = { file: document.file, format: otlp.name, problems };
    const spans = exports.flatMap(({ value, pointer }) => listsOf(value, SPANS, pointer));
    const logs = exports.flatMap(({ value, pointer }) => listsOf(value, LOGS, pointer));
    const sessions = sessionsOfSpans(
      (function* () {
        for (const { list, pointer } of spans) yield* resourceSpans(list, pointer, problems);
      })(),
      file,
      (function* () {
        for (const { list, pointer } of logs) yield* resourceLogs(list, pointer);
      })(),
    );
    return { sessions, problems: problems.list() };
  },
};

const SPANS = ['resourceSpans', 'resource_spans'] as const;
const LOGS = ['resourceLogs', 'resource_logs'] as const;

function hasSpans(value: unknown): boolean {
  return hasList(value, SPANS, isResourceSpans) || hasList(getObject(value, 'result'), SPANS, isResourceSpans);
}

function hasLogs(value: unknown): boolean {
  return hasList(value, LOGS, isResourceLogs);
}

function hasList(value: unknown, keys: readonly string[], test: (value: unknown) => boolean): boolean {
  const key = firstPresentKey(value, ...keys);
  const list = key === undefined ? undefined : getArray(value, key);
  return list !== undefined && mostly(sample(list, 20), test);
}

interface OtlpExport {
  readonly value: unknown;
  readonly pointer: Pointer;
}

/** The exports of a document. Jaeger's API puts an export into `result`. */
function* exportsOf(document: Document): Generator<OtlpExport> {
  for (const [pointer, value] of records(document)) {
    yield { value, pointer };
    const result = getObject(value, 'result');
    if (result) yield { value: result, pointer: childPointer(pointer, 'result') };
  }
}

function listsOf(value: unknown, keys: readonly string[], pointer: Pointer) {
  return keys.flatMap((key) => {
    const list = getArray(value, key);
    return list ? [{ list, pointer: childPointer(pointer, key) }] : [];
  });
}
