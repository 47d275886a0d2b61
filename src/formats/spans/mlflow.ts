import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, getString, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { readSpan, spanIdOf } from './read-span.ts';
import { listedScores } from './scores.ts';
import { sessionsOfTraces, type TraceSource } from './sessions.ts';
import type { Span } from './span.ts';

/** Traces of MLflow 2 and 3, written by its SDK (`Trace.to_json`) or by its command line search. */
export const mlflow: SyncFormat = {
  name: 'mlflow',
  title: 'MLflow trace',
  description: 'A trace of MLflow as JSON: {info, data: {spans}}, a list of them, or the result of a search',
  joins: 'session-id',

  detect({ value }) {
    return mostly(sample(value), (entry) =>
      mostly(
        sample(
          tracesIn(entry, '').map(({ trace }) => trace),
          20,
        ),
        isTrace,
      ),
    )
      ? 'an `info` with the id of a trace, and `data` with `spans`'
      : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = sessionsOfTraces(sourcesOf(document, problems), {
      file: document.file,
      format: mlflow.name,
      problems,
    });
    return { sessions, problems: problems.list() };
  },
};

function isTrace(value: unknown): boolean {
  const info = getObject(value, 'info');
  const spans = getArray(getObject(value, 'data'), 'spans');
  return (
    idOf(info) !== undefined && spans !== undefined && mostly(sample(spans), (span) => spanIdOf(span) !== undefined)
  );
}

function idOf(info: unknown): string | undefined {
  return getString(info, 'trace_id') ?? getString(info, 'request_id');
}

/** A single trace, or the traces of a search result. */
function tracesIn(value: unknown, pointer: Pointer): readonly { readonly trace: unknown; readonly pointer: Pointer }[] {
  const traces = getArray(value, 'traces');
  if (!traces) return [{ trace: value, pointer }];
  return traces.map((trace, index) => ({ trace, pointer: `${pointer}/traces/${index}` }));
}

function* sourcesOf(document: Document, problems: Problems): Generator<TraceSource> {
  for (const [pointer, value] of records(document)) {
    for (const { trace, pointer: place } of tracesIn(value, pointer)) {
      const info = getObject(trace, 'info');
      const spans = getArray(getObject(trace, 'data'), 'spans');
      if (!info || !spans) {
        problems.error('not-a-trace', place, 'Cannot read this trace: it has no `info`, or no `data` with `spans`.');
        continue;
      }
      const id = idOf(info) ?? '';
      yield {
        id,
        session: sessionOf(info),
        read: () => spansOf(spans, `${place}/data/spans`, id, { info, pointer: `${place}/info` }),
      };
    }
  }
}

function sessionOf(info: unknown): string | undefined {
  const metadata = getObject(info, 'trace_metadata') ?? getObject(info, 'request_metadata');
  const session = parseQuotedJson(
    get(metadata, 'mlflow.trace.session') ?? get(getObject(info, 'tags'), 'mlflow.trace.session'),
  );
  return typeof session === 'string' && session !== '' ? session : undefined;
}

function spansOf(
  values: readonly unknown[],
  pointer: Pointer,
  trace: string,
  { info, pointer: infoPointer }: { readonly info: unknown; readonly pointer: Pointer },
): readonly Span[] {
  const assessments = (getArray(info, 'assessments') ?? []).map((value, index) => ({
    value,
    pointer: `${infoPointer}/assessments/${index}`,
  }));
  return values.flatMap((value, index) => {
    if (!isObject(value)) return [];
    const span = readSpan(value, `${pointer}/${index}`, '', trace);
    const own = assessments.filter((assessment) => isOf(assessment.value, span));
    const scores = listedScores(
      own.map((assessment) => assessment.value),
      nameOf,
      valuesOf,
      (index) => own[index]?.pointer ?? '',
    );
    return [own.length > 0 ? { ...span, scores } : span];
  });
}

/** Whether an assessment belongs to a span; assessments of the whole trace belong to the root span. */
function isOf(assessment: unknown, { spanId, parentId }: Span): boolean {
  const id = getString(assessment, 'span_id');
  return id === undefined ? parentId === undefined : id === spanId;
}

function nameOf(assessment: unknown): unknown {
  return get(assessment, 'assessment_name') ?? get(assessment, 'name');
}

/** The values of an assessment's feedback; expectations are not scores. */
function valuesOf(assessment: unknown): readonly unknown[] {
  return [get(getObject(assessment, 'feedback'), 'value')];
}
