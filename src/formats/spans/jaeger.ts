import { getArray, getObject, getString } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { spanIdOf, spanSource, traceIdOf } from './read-span.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { SpanSource } from './span.ts';

/** Traces saved by Jaeger's UI or returned by its older API. */
export const jaeger: SyncFormat = {
  name: 'jaeger',
  title: 'Jaeger traces',
  description: 'Traces saved as JSON in the Jaeger UI, or from its API: {data: [{traceID, spans, processes}]}',
  joins: 'session-id',

  detect({ value }) {
    return mostly(sample(value), (entry) => mostly(sample(tracesIn(entry).list, 20), isTrace))
      ? 'a trace with `spans` and `processes`'
      : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    function* spans(): Generator<SpanSource> {
      for (const [pointer, value] of records(document)) {
        const { list, place } = tracesIn(value);
        for (const [index, trace] of list.entries()) {
          const inner = pointer + place(index);
          for (const [number, span] of (getArray(trace, 'spans') ?? []).entries()) {
            const at = `${inner}/spans/${number}`;
            if (traceIdOf(span) !== undefined) yield spanSource(span, at);
            else problems.warn('not-a-span', at, 'Span skipped: it has no `traceID`.');
          }
        }
      }
    }
    const sessions = sessionsOfSpans(spans(), { file: document.file, format: jaeger.name, problems });
    return { sessions, problems: problems.list() };
  },
};

/** A page of traces, or a single trace. */
function tracesIn(value: unknown): { list: readonly unknown[]; place: (index: number) => Pointer } {
  const list = getArray(value, 'data');
  return list ? { list, place: (index) => childPointer('/data', index) } : { list: [value], place: () => '' };
}

/** The processes come after the spans: the beginning of a file may have none. Its spans are named as Jaeger's own. */
function isTrace(value: unknown): boolean {
  const spans = getArray(value, 'spans');
  return (
    spans !== undefined &&
    (getObject(value, 'processes') !== undefined || getString(spans[0], 'operationName') !== undefined) &&
    (spans.length === 0 ||
      mostly(sample(spans, 20), (span) => traceIdOf(span) !== undefined && spanIdOf(span) !== undefined))
  );
}
