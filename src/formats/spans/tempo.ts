import { getArray, getObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { isResourceSpans, resourceSpans } from './resource-spans.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { SpanSource } from './span.ts';

/** Traces from Grafana Tempo's API, or saved by Grafana: OTLP with other key names. */
export const tempo: SyncFormat = {
  name: 'tempo',
  title: 'Grafana Tempo trace',
  description: 'A trace of Tempo, from its API or saved in Grafana: {batches} or {trace: {resourceSpans}}',
  joins: 'session-id',

  detect({ value }) {
    return mostly(sample(value), (entry) => listOf(entry) !== undefined)
      ? 'a trace of OTLP spans in `batches` or `trace`'
      : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    function* spans(): Generator<SpanSource> {
      for (const [pointer, value] of records(document)) {
        const batches = listOf(value);
        if (batches) yield* resourceSpans(batches.list, pointer + batches.pointer, problems);
      }
    }
    const sessions = sessionsOfSpans(spans(), { file: document.file, format: tempo.name, problems });
    return { sessions, problems: problems.list() };
  },
};

function listOf(value: unknown): { readonly list: readonly unknown[]; readonly pointer: Pointer } | undefined {
  const trace = getObject(value, 'trace');
  for (const [holder, key, pointer] of [
    [trace, 'resourceSpans', '/trace/resourceSpans'],
    [trace, 'batches', '/trace/batches'],
    [value, 'batches', '/batches'],
  ] as const) {
    const list = getArray(holder, key);
    if (list && mostly(sample(list, 20), isResourceSpans)) return { list, pointer };
  }
  return undefined;
}
