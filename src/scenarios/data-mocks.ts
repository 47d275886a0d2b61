import { isDeepStrictEqual } from 'node:util';
import { type ConfigIssue, configIssue } from '../config/schema-errors.ts';
import { getArray, getObject, isObject, type JsonObject } from '../core/json.ts';
import { sequence, type ToolFunction } from './api.ts';

/** An answer of a mock. Arguments that are not named may have any value. */
export interface MockedCall {
  readonly args?: JsonObject;
  /** One of these. */
  readonly result?: unknown;
  readonly error?: string;
}

/**
 * Mocks of a scenario that is YAML or JSON, as functions and sequences, made for each attempt: `{ sequence: [...] }` answers in
 * order, `{ calls: [...] }` by the arguments, `{ error: text }` fails, and anything else is the answer.
 */
export function mocksFromData(options: unknown): unknown {
  const tools = getObject(getObject(options, 'mocks'), 'tools');
  if (!isObject(options) || !tools) return options;
  const mocks = () => {
    const entries = Object.entries(tools).map(([name, value]) => [name, toMock(name, value)]);
    return { tools: Object.fromEntries(entries) };
  };
  return { ...options, mocks };
}

function toMock(name: string, value: unknown): unknown {
  const only = isObject(value) && Object.keys(value).length === 1 ? value : {};
  if (Array.isArray(only.sequence) && only.sequence.length > 0) return sequence(only.sequence);
  if (Array.isArray(only.calls)) return answerByArguments(name, only.calls.filter(isMockedCall));
  const { error } = only;
  if (typeof error !== 'string') return () => value;
  return () => {
    throw new Error(error);
  };
}

/** Each call is answered once, in order; then the last one that fits answers again. */
function answerByArguments(name: string, calls: readonly MockedCall[]): ToolFunction {
  const left = new Set(calls);
  return (args: JsonObject) => {
    const fits = ({ args: wanted = {} }: MockedCall) =>
      Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(args[key], value));
    const call = [...left].find(fits) ?? calls.findLast(fits);
    if (!call) throw new Error(`mocks.tools.${name} has no call with these arguments: add it to "calls".`);
    left.delete(call);
    if (call.error !== undefined) throw new Error(call.error);
    return call.result;
  };
}

function isMockedCall(value: unknown): value is MockedCall {
  if (!isObject(value)) return false;
  const { args, error, result: _, ...others } = value;
  const answers = [Object.hasOwn(value, 'result'), typeof error === 'string'].filter(Boolean);
  return answers.length === 1 && Object.keys(others).length === 0 && (args === undefined || isObject(args));
}

/** What is wrong with the mocks of a scenario that is data. */
export function mockIssues(options: JsonObject): ConfigIssue[] {
  const tools = getObject(getObject(options, 'mocks'), 'tools') ?? {};
  return Object.entries(tools).flatMap(([name, mock]) => {
    if (!isObject(mock) || Object.keys(mock).length !== 1) return [];
    return (getArray(mock, 'calls') ?? []).flatMap((call, index) => {
      if (isMockedCall(call)) return [];
      const path = ['mocks', 'tools', name, 'calls', index];
      const what = `mocks.tools.${name}.calls[${index}] must have a "result" or an "error", and "args" if they matter.`;
      return [configIssue(path, what)];
    });
  });
}
