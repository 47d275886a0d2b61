import type { Document } from '../../core/document.ts';
import { get, getArray, getObject, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { spanIdOf, spanSource } from './read-span.ts';
import { sessionsOfSpans } from './sessions.ts';
import type { SpanSource } from './span.ts';

/** Traces of Mozilla's any-agent for any framework: spans with integer ids, and the final output. */
export const anyAgent: SyncFormat = {
  name: 'any-agent',
  title: 'any-agent trace',
  description: 'An AgentTrace of any-agent, dumped as JSON: {spans, final_output}',
  joins: 'session-id',

  detect({ value }) {
    return mostly(sample(value), isTrace) ? 'a list of `spans` with a `context` of integers' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = sessionsOfSpans(spansOf(document, problems), {
      file: document.file,
      format: anyAgent.name,
      problems,
    });
    return { sessions, problems: problems.list() };
  },
};

function isTrace(value: unknown): boolean {
  const spans = getArray(value, 'spans');
  return spans !== undefined && mostly(sample(spans), isAnyAgentSpan);
}

/** Whether a value is a span with integer ids; large integers are strings of digits. */
export function isAnyAgentSpan(value: unknown): boolean {
  const id = get(getObject(value, 'context'), 'trace_id');
  const isInteger = typeof id === 'number' || (typeof id === 'string' && /^\d{17,}$/.test(id));
  return isInteger && isObject(get(value, 'attributes')) && get(value, 'span_kind') === undefined;
}

function* spansOf(document: Document, problems: Problems): Generator<SpanSource> {
  for (const [pointer, value] of records(document)) {
    for (const [index, span] of (getArray(value, 'spans') ?? []).entries()) {
      const at = `${pointer}/spans/${index}`;
      if (spanIdOf(span) !== undefined) yield withFinalOutput(spanSource(span, at), value, pointer);
      else problems.warn('not-a-span', at, 'Span skipped: it has no id in its `context`.');
    }
  }
}

/** Adds the agent's final output, which is beside its spans. */
function withFinalOutput(source: SpanSource, trace: unknown, pointer: Pointer): SpanSource {
  const value = get(trace, 'final_output');
  if (value === undefined || value === null) return source;
  const read = () => {
    const span = source.read();
    if (span.parentId !== undefined) return span;
    return { ...span, attributes: span.attributes.with('final_result', { value, pointer: `${pointer}/final_output` }) };
  };
  return { ...source, read };
}
