import type { Document } from '../../core/document.ts';
import { getArray, getString, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { ReadResult } from '../format.ts';
import { Problems } from '../problems.ts';
import { records } from '../records.ts';
import { readSpan, spanIdOf } from '../spans/read-span.ts';
import { sessionsOfSpans } from '../spans/sessions.ts';
import type { SpanSource } from '../spans/span.ts';

const FORMAT = 'trail';

/** Reads traces of the TRAIL benchmark: nested spans with OpenInference attributes. */
export function readTrail(document: Document): ReadResult {
  const problems = new Problems(document.file);
  const sessions = sessionsOfSpans(spansOf(document, problems), {
    file: document.file,
    format: FORMAT,
    problems,
  });
  return { sessions, problems: problems.list() };
}

interface OpenSpanList {
  readonly list: readonly unknown[];
  readonly pointer: Pointer;
  readonly trace: string;
  readonly parent: string | undefined;
}

function* spansOf(document: Document, problems: Problems): Generator<SpanSource> {
  const open: OpenSpanList[] = [];
  for (const [pointer, value] of records(document)) {
    const trace = getString(value, 'trace_id') ?? '';
    open.push({ list: getArray(value, 'spans') ?? [], pointer: `${pointer}/spans`, trace, parent: undefined });
  }
  // A stack instead of recursion, for deeply nested spans.
  for (let next = open.pop(); next; next = open.pop()) {
    const { list, pointer, trace, parent } = next;
    for (const [index, value] of list.entries()) {
      const at = `${pointer}/${index}`;
      if (!isObject(value)) {
        problems.warn('not-a-span', at, 'Span skipped: it is not an object.');
        continue;
      }
      yield {
        traceId: trace,
        read() {
          const span = readSpan(value, at, '', trace);
          return { ...span, traceId: trace, parentId: span.parentId ?? parent };
        },
      };
      const children = getArray(value, 'child_spans');
      if (children) open.push({ list: children, pointer: `${at}/child_spans`, trace, parent: spanIdOf(value) });
    }
  }
}
