import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, getString, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { spanIdOf, spanSource } from './read-span.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { SpanSource } from './span.ts';

/** Spans of Arize Phoenix: pages of its REST API, and traces and sessions written by `px`. */
export const phoenix: SyncFormat = {
  name: 'phoenix',
  title: 'Arize Phoenix spans',
  description: 'Spans of Phoenix: a page of its REST API {data}, or a trace or spans that `px` wrote',
  joins: 'session-id',

  detect({ value, lines }) {
    const entries = sample(value);
    if (mostly(entries, isSpan)) return lines ? 'a Phoenix span on every line' : 'a list of Phoenix spans';
    return mostly(entries, (entry) => listsIn(entry, '').some(({ list }) => mostly(sample(list), isSpan)))
      ? 'a list of spans with a `context` and a `span_kind`'
      : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = sessionsOfSpans(spansOf(document, problems), {
      file: document.file,
      format: phoenix.name,
      problems,
    });
    return { sessions, problems: problems.list() };
  },
};

function isSpan(value: unknown): boolean {
  return (
    typeof get(getObject(value, 'context'), 'span_id') === 'string' &&
    typeof get(value, 'span_kind') === 'string' &&
    isObject(get(value, 'attributes'))
  );
}

interface PhoenixSpanList {
  readonly list: readonly unknown[];
  readonly pointer: Pointer;
  readonly trace: string | undefined;
}

/** The lists of spans in a page, a trace, or the traces of a session. */
function listsIn(value: unknown, pointer: Pointer): readonly PhoenixSpanList[] {
  const page = getArray(value, 'data');
  if (page) return [{ list: page, pointer: `${pointer}/data`, trace: undefined }];
  const trace = getString(value, 'traceId');
  const spans = getArray(value, 'spans');
  if (spans) return [{ list: spans, pointer: `${pointer}/spans`, trace }];
  return (getArray(value, 'traces') ?? []).flatMap((inner, index) =>
    getArray(inner, 'traces') ? [] : listsIn(inner, `${pointer}/traces/${index}`),
  );
}

function* spansOf(document: Document, problems: Problems): Generator<SpanSource> {
  for (const [pointer, value] of records(document)) {
    const lists = isSpan(value) ? [{ list: [value], pointer, trace: undefined }] : listsIn(value, pointer);
    for (const { list, pointer: place, trace } of lists) {
      for (const [index, span] of list.entries()) {
        const at = span === value ? pointer : `${place}/${index}`;
        if (spanIdOf(span) !== undefined) yield spanSource(span, at, '', trace);
        else problems.warn('not-a-span', at, 'Span skipped: it has no id in its `context`.');
      }
    }
  }
}
