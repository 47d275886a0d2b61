import { get, getString, isObject, parseJson } from '../../core/json.ts';
import type { ToolEffect } from './tool-effect.ts';

/**
 * Detects results that report a failure which the trace does not flag. Most frameworks flag only exceptions, and many
 * tools return `{"success": false, "message": "…"}` or a text that begins with "Error:" instead.
 */

/** Longer results are data, not an error message. */
const MAX_LENGTH = 4000;

/** How many wrappers such as `{"result": {…}}` are opened. */
const MAX_UNWRAP_DEPTH = 3;

/** A serialized object or list. */
const SERIALIZED = /^\s*[{[]/;

const WRAPPER = /^\s*(?:\{\s*["'](?:result|output|content|response)["']|\[\s*\{\s*["']t)/;

const FAILURE_FIELD =
  /rror\\?["']\s*:|(?:success|ok)\\?["']\s*:\s*\\?["']?[fF]alse|status\\?["']\s*:\s*\\?["'](?:[eE]rr|ERR|[fF]ail|FAIL)/;

/** Every match of `FAILURE_FIELD` contains one of these, and most texts contain none. */
const FAILURE_HINTS = ['rror', 'alse', 'fail', 'Fail', 'FAIL', 'ERR'];

/** A cheap test that excludes nearly all results. */
function mayReportFailure(text: string): boolean {
  if (!SERIALIZED.test(text) || WRAPPER.test(text)) return true;
  return FAILURE_HINTS.some((word) => text.includes(word)) && FAILURE_FIELD.test(text);
}

/** How error messages begin, and documents about errors rarely do. */
const FAILURE_MESSAGE =
  /^[^\w{[]{0,5}(?:[\w. ]{0,40}?(?:error|exception|failed|failure)\s*:|error (?:executing|calling|running|invoking)\b|traceback \(most recent)/i;

/** How the result of a rejected change begins. Content that was looked up may begin like this as well. */
const CHANGE_REFUSAL = /^[^\w{[]{0,5}(?:error|failed|failure|exception|denied|forbidden|unauthori[sz]ed|invalid)\b/i;

/** A truncated object, or one in Python notation. */
const UNPARSED_FAILURE =
  /^\s*\{\s*['"](?:error['"]\s*:\s*['"](?!none\b|no error\b)[^'"]|(?:success|ok)['"]\s*:\s*false\b)/i;

/** Whether a call returned nothing but a failure. */
export function reportsFailure(result: unknown, effect: ToolEffect): boolean {
  const value = unwrapResult(result, mayReportFailure);
  if (typeof value === 'string') {
    return (
      FAILURE_MESSAGE.test(value) ||
      UNPARSED_FAILURE.test(value) ||
      (effect === 'changes' && CHANGE_REFUSAL.test(value))
    );
  }
  if (isFalsyFlag(get(value, 'success')) || isFalsyFlag(get(value, 'ok'))) return true;
  if (isTruthyFlag(get(value, 'isError')) || isTruthyFlag(get(value, 'is_error'))) return true;
  const status = getString(value, 'status') ?? '';
  if (SUCCESS_STATUS.test(status) || isTruthyFlag(get(value, 'success')) || isTruthyFlag(get(value, 'ok')))
    return false;
  // A record that was looked up may have failed although the look-up succeeded.
  return isError(get(value, 'error')) || (effect === 'changes' && /^(?:error|fail(?:ed|ure)?)$/i.test(status));
}

/** The error message in a failed call's result. */
export function failureMessage(result: unknown): string {
  const value = unwrapResult(result, () => true);
  if (typeof value === 'string') return value;
  const error = get(value, 'error');
  const message = [error, get(error, 'message'), ...MESSAGE_KEYS.map((key) => get(value, key)), result];
  return message.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

const MESSAGE_KEYS = ['message', 'error_message', 'errorMessage', 'reason', 'detail'];

const SUCCESS_STATUS = /^(?:ok|success(?:ful)?|succeeded|done|completed?)$/i;

/** Removes wrappers that hold a single value, and parses JSON if the text is short and may be relevant. */
function unwrapResult(result: unknown, isOfInterest: (text: string) => boolean): unknown {
  let value = result;
  for (let depth = 0; depth < MAX_UNWRAP_DEPTH; depth += 1) {
    if (typeof value === 'string') {
      if (value.length > MAX_LENGTH || !isOfInterest(value)) return undefined;
      const inner = SERIALIZED.test(value) ? parseJson(value) : undefined;
      if (inner === undefined) return value;
      value = inner;
    }
    const inner = soleValue(value);
    if (inner === undefined) return value;
    value = inner;
  }
  return value;
}

function soleValue(value: unknown): unknown {
  if (Array.isArray(value))
    return value.length === 1 && get(value[0], 'type') === 'text' ? get(value[0], 'text') : undefined;
  if (!isObject(value)) return undefined;
  const [key, another] = Object.keys(value);
  return key !== undefined && another === undefined && /^(?:result|output|content|response)$/.test(key)
    ? value[key]
    : undefined;
}

function isError(error: unknown): boolean {
  if (typeof error === 'string') return error !== '' && !/^(?:none|null|no error)$/i.test(error);
  if (isObject(error)) return Object.keys(error).length > 0;
  return error === true;
}

function isTruthyFlag(value: unknown): boolean {
  return value === true || value === 'true';
}

function isFalsyFlag(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^false$/i.test(value));
}
