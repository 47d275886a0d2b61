import { asText, isObject, type JsonObject } from '../../core/json.ts';
import type { ToolStep } from '../../core/session.ts';
import type { Problems } from '../problems.ts';
import { argumentsOf, errorOf } from '../values.ts';
import type { CallMapping, MappingPaths } from './mapping.ts';
import type { MappedValue } from './path.ts';
import type { PathResolver } from './path-resolver.ts';

/** Reads a tool call; undefined, with a warning, if it has no name. `key` is the key of the calls in the mapping. */
export function readCall(
  entry: MappedValue,
  mapping: CallMapping,
  key: string,
  resolver: PathResolver,
  problems: Problems,
): ToolStep | undefined {
  const name = resolver.id(`${key}.name`, mapping.name, entry);
  if (name === undefined) {
    problems.warn('call-without-name', entry.pointer, 'Tool call skipped: it has no tool name.');
    return undefined;
  }
  const result = resolver.first(`${key}.result`, mapping.result, entry);
  const flag = readErrorFlag(`${key}.error`, mapping.error, entry, resolver);
  const message = flag?.outcome === 'ok' ? undefined : (flag?.error ?? errorOf(result?.value));
  const failed = flag?.outcome === 'error' || message !== undefined;
  return {
    type: 'tool',
    pointer: entry.pointer,
    resultPointer: (result ?? flag?.entry)?.pointer,
    id: resolver.id(`${key}.id`, mapping.id, entry),
    name,
    arguments: readArguments(entry, mapping, `${key}.arguments`, resolver),
    ...(result === undefined ? {} : { result: result.value }),
    error: failed ? (message ?? (asText(result?.value) || undefined)) : undefined,
    // If the mapping has no path for results, calls count as executed.
    outcome: failed ? 'error' : flag || result || mapping.result === undefined ? 'ok' : 'missing',
    requestedBy: 'agent',
    startedAt: resolver.time(`${key}.startedAt`, mapping.startedAt, entry),
    endedAt: resolver.time(`${key}.endedAt`, mapping.endedAt, entry),
  };
}

function readArguments(
  entry: MappedValue,
  mapping: CallMapping,
  key: string,
  resolver: PathResolver,
): JsonObject | string {
  const { arguments: paths } = mapping;
  if (!isObject(paths)) return argumentsOf(resolver.first(key, paths, entry)?.value);
  const values = Object.entries(paths).map(
    ([name, path]) => [name, resolver.first(`${key}.${name}`, path, entry)] as const,
  );
  return Object.fromEntries(values.flatMap(([name, located]) => (located ? [[name, located.value]] : [])));
}

interface ErrorFlag {
  readonly outcome: 'ok' | 'error';
  /** The error message. */
  readonly error?: string;
  readonly entry: MappedValue;
}

/**
 * Reads the outcome at the error path: a message, an object with one, true or a non-zero exit code is a failure; false
 * and 0 are a success. Undefined for other values: the result's content then decides.
 */
export function readErrorFlag(
  key: string,
  paths: MappingPaths | undefined,
  from: MappedValue,
  resolver: PathResolver,
): ErrorFlag | undefined {
  const entry = resolver.first(key, paths, from);
  const value = entry?.value;
  if (!entry) return undefined;
  if (typeof value === 'boolean' || typeof value === 'number') return { outcome: value ? 'error' : 'ok', entry };
  const error = errorOf({ error: value });
  return error === undefined ? undefined : { outcome: 'error', error, entry };
}
