import { asText, isObject, type JsonObject } from '../../core/json.ts';
import type { ToolStep } from '../../core/session.ts';
import type { Problems } from '../problems.ts';
import { argumentsOf, errorOf } from '../values.ts';
import type { CallMapping, MappingPaths } from './mapping.ts';
import type { MappedValue } from './path.ts';
import type { PathResolver } from './path-resolver.ts';

/** The tool call at a place; undefined, with a warning, when it names no tool. `key`: of the calls in the mapping. */
export function readCall(
  place: MappedValue,
  mapping: CallMapping,
  key: string,
  follow: PathResolver,
  problems: Problems,
): ToolStep | undefined {
  const name = follow.id(`${key}.name`, mapping.name, place);
  if (name === undefined) {
    problems.warn('call-without-name', place.pointer, 'This tool call is left out: it does not name a tool.');
    return undefined;
  }
  const result = follow.first(`${key}.result`, mapping.result, place);
  const flag = readErrorFlag(`${key}.error`, mapping.error, place, follow);
  const found = flag?.outcome === 'ok' ? undefined : (flag?.error ?? errorOf(result?.value));
  const failed = flag?.outcome === 'error' || found !== undefined;
  return {
    type: 'tool',
    pointer: place.pointer,
    resultPointer: (result ?? flag?.place)?.pointer,
    id: follow.id(`${key}.id`, mapping.id, place),
    name,
    arguments: readArguments(place, mapping, `${key}.arguments`, follow),
    ...(result === undefined ? {} : { result: result.value }),
    error: failed ? (found ?? (asText(result?.value) || undefined)) : undefined,
    // A log that has no place for results is one of calls that ran.
    outcome: failed ? 'error' : flag || result || mapping.result === undefined ? 'ok' : 'missing',
    requestedBy: 'agent',
    startedAt: follow.time(`${key}.startedAt`, mapping.startedAt, place),
    endedAt: follow.time(`${key}.endedAt`, mapping.endedAt, place),
  };
}

function readArguments(
  place: MappedValue,
  mapping: CallMapping,
  key: string,
  follow: PathResolver,
): JsonObject | string {
  const { arguments: paths } = mapping;
  if (!isObject(paths)) return argumentsOf(follow.first(key, paths, place)?.value);
  const given = Object.entries(paths).map(([name, one]) => [name, follow.first(`${key}.${name}`, one, place)] as const);
  return Object.fromEntries(given.flatMap(([name, found]) => (found ? [[name, found.value]] : [])));
}

interface ErrorFlag {
  readonly outcome: 'ok' | 'error';
  /** What it says of the failure. */
  readonly error?: string;
  readonly place: MappedValue;
}

/**
 * What the path of errors leads to: a message, an object with one, true or an exit code that is not 0 for a failure;
 * false and 0 for none. Undefined for everything else: then the content of the result tells.
 */
export function readErrorFlag(
  key: string,
  paths: MappingPaths | undefined,
  from: MappedValue,
  follow: PathResolver,
): ErrorFlag | undefined {
  const place = follow.first(key, paths, from);
  const value = place?.value;
  if (!place) return undefined;
  if (typeof value === 'boolean' || typeof value === 'number') return { outcome: value ? 'error' : 'ok', place };
  const error = errorOf({ error: value });
  return error === undefined ? undefined : { outcome: 'error', error, place };
}
