import { lazy } from '../../core/cache/memoize.ts';
import { get, getArray, getObject, getString, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { Problems } from '../problems.ts';
import { firstPresentKey } from '../values.ts';
import { attributesOf } from './attributes.ts';
import { readEvent, spanIdOf, spanSource, traceIdOf } from './read-span.ts';
import type { LogSource, SpanSource } from './span.ts';

/** The nesting of OTLP: resource, scope, span, under the names of its versions and exporters. */

const SPAN_SCOPES = [
  'scopeSpans',
  'scope_spans',
  'instrumentationLibrarySpans',
  'instrumentation_library_spans',
] as const;
const LOG_SCOPES = ['scopeLogs', 'scope_logs', 'instrumentationLibraryLogs'] as const;
const SCOPES = ['scope', 'instrumentationLibrary', 'instrumentation_library'] as const;
const RECORDS = ['logRecords', 'log_records', 'logs'] as const;

/** Whether a value is a `ResourceSpans` of OTLP: it has scopes, and the first one has a list. */
export function isResourceSpans(value: unknown): boolean {
  return hasScopes(value, SPAN_SCOPES, ['spans']);
}

export function isResourceLogs(value: unknown): boolean {
  return hasScopes(value, LOG_SCOPES, RECORDS);
}

function hasScopes(value: unknown, keys: readonly string[], lists: readonly string[]): boolean {
  const key = firstPresentKey(value, ...keys);
  const scopes = key === undefined ? undefined : getArray(value, key);
  if (!scopes) return false;
  return scopes.length === 0 ? isObject(getObject(value, 'resource')) : lists.some((list) => getArray(scopes[0], list));
}

/** Read with the span, so that spans of other sessions cost nothing. */
function withServiceVersion(source: SpanSource, version: () => string | undefined): SpanSource {
  const read = () => {
    const serviceVersion = version();
    return serviceVersion === undefined ? source.read() : { ...source.read(), serviceVersion };
  };
  return { ...source, read };
}

function serviceVersionOf(resource: unknown): string | undefined {
  return attributesOf(get(getObject(resource, 'resource'), 'attributes'), '').text('service.version');
}

/** The spans in a list of `ResourceSpans`; `pointer` is that of the list. */
export function* resourceSpans(
  resources: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<SpanSource> {
  for (const { value, place: itemPointer, scope, serviceVersion } of scopedRecords(resources, pointer, SPAN_SCOPES, [
    'spans',
  ])) {
    if (traceIdOf(value) !== undefined) yield withServiceVersion(spanSource(value, itemPointer, scope), serviceVersion);
    else problems.warn('not-a-span', itemPointer, 'Span skipped: it has no trace id.');
  }
}

/** The log records in a list of `ResourceLogs` that belong to spans. */
export function* resourceLogs(resources: readonly unknown[], pointer: Pointer): Generator<LogSource> {
  for (const { value, place: itemPointer } of scopedRecords(resources, pointer, LOG_SCOPES, RECORDS)) {
    const traceId = traceIdOf(value);
    const spanId = spanIdOf(value);
    if (traceId !== undefined && spanId !== undefined) {
      yield { traceId, spanId, pointer: itemPointer, value, read: () => readEvent(value, itemPointer) };
    }
  }
}

function* scopedRecords(
  resources: readonly unknown[],
  pointer: Pointer,
  scopeKeys: readonly string[],
  listKeys: readonly string[],
): Generator<{
  readonly value: unknown;
  readonly place: Pointer;
  readonly scope: string | undefined;
  readonly serviceVersion: () => string | undefined;
}> {
  for (const [index, resource] of resources.entries()) {
    const key = firstPresentKey(resource, ...scopeKeys);
    const serviceVersion = lazy(() => serviceVersionOf(resource));
    for (const [inner, scoped] of ((key && getArray(resource, key)) || []).entries()) {
      const scopeKey = firstPresentKey(scoped, ...SCOPES);
      const scope = scopeKey === undefined ? undefined : getString(getObject(scoped, scopeKey), 'name');
      const listKey = firstPresentKey(scoped, ...listKeys);
      const list = (listKey && getArray(scoped, listKey)) || [];
      for (const [number, value] of list.entries()) {
        yield { value, place: `${pointer}/${index}/${key}/${inner}/${listKey}/${number}`, scope, serviceVersion };
      }
    }
  }
}
