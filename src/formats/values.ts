import {
  canonicalJson,
  get,
  getNumber,
  getObject,
  getString,
  isObject,
  type JsonObject,
  parseJson,
} from '../core/json.ts';
import type { TokenUsage } from '../core/session.ts';

/** Helpers for reading single values, shared by the formats. */

const NO_ARGUMENTS: JsonObject = Object.freeze({});

/** The first of some keys with a value other than null, for a field that has several names. */
export function firstPresentKey(value: unknown, ...keys: readonly string[]): string | undefined {
  return keys.find((key) => (get(value, key) ?? null) !== null);
}

/** The value of a field that has several names, such as snake case and camel case. */
export function firstPresent(value: unknown, ...keys: readonly string[]): unknown {
  const key = firstPresentKey(value, ...keys);
  return key === undefined ? undefined : get(value, key);
}

/** A tool call's arguments: an object, or the raw text if it is not a JSON object. */
export function argumentsOf(value: unknown): JsonObject | string {
  if (isObject(value)) return value;
  if (value === undefined || value === null) return NO_ARGUMENTS;
  if (typeof value !== 'string') return jsonText(value);
  // Some servers write an empty text for a call without arguments.
  if (!/\S/.test(value)) return NO_ARGUMENTS;
  const parsed = startsAsObject(value) ? parseJson(value) : undefined;
  return isObject(parsed) ? parsed : value;
}

/** A value as canonical JSON, independent of key order; empty if it is nested too deeply. */
export function jsonText(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return '';
  }
}

/** Longer texts are data that mention an error; parsing them would be as expensive as reading the file again. */
const MAX_ERROR_LENGTH = 100_000;
/** Keys without which `errorOf` finds nothing in JSON text. */
const MENTIONS_ERROR = /"(?:is_?)?error"/i;

/**
 * The message of a tool result that is an error, for traces without a flag: a text that starts with "Error" or
 * "error:", or a JSON object with a non-empty `error`, `status: "error"` or MCP's `isError`. Undefined otherwise.
 */
export function errorOf(result: unknown): string | undefined {
  if (typeof result === 'string') {
    if (/^\s*(?:(?:Error|ERROR)(?![\w-])|error:)/.test(result)) return result;
    if (result.length > MAX_ERROR_LENGTH || !startsAsObject(result) || !MENTIONS_ERROR.test(result)) return undefined;
    const parsed = parseJson(result);
    return isObject(parsed) ? errorOf(parsed) : undefined;
  }
  if (!isObject(result)) return undefined;
  const error = get(result, 'error');
  const status = getString(result, 'status');
  const flagged = get(result, 'isError') === true || get(result, 'is_error') === true;
  if (isEmpty(error) && status?.toLowerCase() !== 'error' && !flagged) return undefined;
  return (
    errorMessage(error) ??
    getString(result, 'error_message') ??
    getString(result, 'errorMessage') ??
    getString(result, 'message') ??
    jsonText(result)
  );
}

function errorMessage(error: unknown): string | undefined {
  return typeof error === 'string' && error !== '' ? error : getString(error, 'message');
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return !/\S/.test(value);
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
}

function startsAsObject(text: string): boolean {
  return /^\s*\{/.test(text);
}

/** An ISO 8601 time, unchanged; undefined for other values. */
export function isoTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

/** Compares by start time; values without one come last. */
export function compareStart(a: { readonly startedAt?: string }, b: { readonly startedAt?: string }): number {
  const [first, second] = [startOf(a), startOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function startOf({ startedAt }: { readonly startedAt?: string }): number {
  return startedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(startedAt);
}

/** Converts seconds since 1970 to ISO 8601. */
export function isoFromSeconds(value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined;
  const date = new Date(value * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/**
 * Token counts of OpenAI's API (`prompt_tokens` or `input_tokens` …). Its completion tokens include reasoning tokens,
 * which are separate in a session.
 */
export function openAiUsage(value: unknown): TokenUsage | undefined {
  const input = getNumber(value, 'prompt_tokens') ?? getNumber(value, 'input_tokens');
  const output = getNumber(value, 'completion_tokens') ?? getNumber(value, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = getObject(value, 'prompt_tokens_details') ?? getObject(value, 'input_tokens_details');
  const outputDetails = getObject(value, 'completion_tokens_details') ?? getObject(value, 'output_tokens_details');
  const cached = getNumber(inputDetails, 'cached_tokens');
  const reasoning = getNumber(outputDetails, 'reasoning_tokens');
  return {
    inputTokens: input ?? 0,
    outputTokens: Math.max(0, (output ?? 0) - (reasoning ?? 0)),
    cachedTokens: cached,
    reasoningTokens: reasoning,
    // OpenRouter's.
    cost: getNumber(value, 'cost'),
  };
}

/** The entries with a value other than null; undefined if there is none. */
export function definedEntries(
  entries: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const defined = Object.entries(entries).filter(([, value]) => value !== undefined && value !== null);
  return defined.length > 0 ? Object.fromEntries(defined) : undefined;
}
