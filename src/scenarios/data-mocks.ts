import { isObject, type JsonObject } from '../core/json.ts';
import { sequence } from './api.ts';

/**
 * Mocks of a scenario that is YAML or JSON, as functions and sequences: `{ sequence: [...] }` answers in order, `{ error: text }`
 * fails, and anything else is the answer.
 */
export function mocksFromData(options: unknown): unknown {
  if (!isObject(options) || !isObject(options.mocks)) return options;
  const { tools } = options.mocks;
  return isObject(tools) ? { ...options, mocks: { tools: mapValues(tools, toMock) } } : options;
}

function toMock(value: unknown): unknown {
  const only = isObject(value) && Object.keys(value).length === 1 ? value : {};
  if (Array.isArray(only.sequence) && only.sequence.length > 0) return sequence(only.sequence);
  const { error } = only;
  if (typeof error !== 'string') return () => value;
  return () => {
    throw new Error(error);
  };
}

function mapValues(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
