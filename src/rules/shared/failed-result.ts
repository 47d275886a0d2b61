import { get, getString, isObject, parseJson } from '../../core/json.ts';
import type { ToolEffect } from './tool-effect.ts';

/**
 * Results that tell of a failure which their trace does not flag. Most frameworks flag only what was thrown, and most
 * tools throw nothing: they return `{"success": false, "message": "…"}`, or a text that begins with "Error:".
 */

/** Longer results than this are data, not a message of failure. */
const MAX_LENGTH = 4000;

/** What only holds another value, such as `{"result": {…}}`, is opened so often. */
const MAX_UNWRAP_DEPTH = 3;

/** Written as an object or a list. */
const SERIALIZED = /^\s*[{[]/;

const WRAPPER = /^\s*(?:\{\s*["'](?:result|output|content|response)["']|\[\s*\{\s*["']t)/;

const FAILURE_FIELD =
  /rror\\?["']\s*:|(?:success|ok)\\?["']\s*:\s*\\?["']?[fF]alse|status\\?["']\s*:\s*\\?["'](?:[eE]rr|ERR|[fF]ail|FAIL)/;

/** Whatever `TELLS` finds has one of these, and most texts have none. */
const FAILURE_HINTS = ['rror', 'alse', 'fail', 'Fail', 'FAIL', 'ERR'];

/** Whether a text has to be read: nearly no object tells of a failure. */
function mayReportFailure(text: string): boolean {
  if (!SERIALIZED.test(text) || WRAPPER.test(text)) return true;
  return FAILURE_HINTS.some((word) => text.includes(word)) && FAILURE_FIELD.test(text);
}

/** How a message of failure begins, and a document about failures hardly ever. */
const FAILURE_MESSAGE =
  /^[^\w{[]{0,5}(?:[\w. ]{0,40}?(?:error|exception|failed|failure)\s*:|error (?:executing|calling|running|invoking)\b|traceback \(most recent)/i;

/** How the answer to a change begins that was not made; what was looked up may begin so too. */
const CHANGE_REFUSAL = /^[^\w{[]{0,5}(?:error|failed|failure|exception|denied|forbidden|unauthori[sz]ed|invalid)\b/i;

/** An object that is cut off, or written as Python does. */
const UNPARSED_FAILURE =
  /^\s*\{\s*['"](?:error['"]\s*:\s*['"](?!none\b|no error\b)[^'"]|(?:success|ok)['"]\s*:\s*false\b)/i;

/** Whether a call of a tool with such an effect returned no more than that it failed. */
export function reportsFailure(result: unknown, effect: ToolEffect): boolean {
  const told = unwrapResult(result, mayReportFailure);
  if (typeof told === 'string') {
    return (
      FAILURE_MESSAGE.test(told) || UNPARSED_FAILURE.test(told) || (effect === 'changes' && CHANGE_REFUSAL.test(told))
    );
  }
  if (isFalsyFlag(get(told, 'success')) || isFalsyFlag(get(told, 'ok'))) return true;
  if (isTruthyFlag(get(told, 'isError')) || isTruthyFlag(get(told, 'is_error'))) return true;
  const status = getString(told, 'status') ?? '';
  if (SUCCESS_STATUS.test(status) || isTruthyFlag(get(told, 'success')) || isTruthyFlag(get(told, 'ok'))) return false;
  // What is looked up may have failed, and the look-up not.
  return isError(get(told, 'error')) || (effect === 'changes' && /^(?:error|fail(?:ed|ure)?)$/i.test(status));
}

/** What a failed call returned says: its message, where it is an object with one. */
export function failureMessage(result: unknown): string {
  const told = unwrapResult(result, () => true);
  if (typeof told === 'string') return told;
  const error = get(told, 'error');
  const said = [error, get(error, 'message'), ...MESSAGE_KEYS.map((key) => get(told, key)), result];
  return said.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

const MESSAGE_KEYS = ['message', 'error_message', 'errorMessage', 'reason', 'detail'];

const SUCCESS_STATUS = /^(?:ok|success(?:ful)?|succeeded|done|completed?)$/i;

/** A result without the wrappers that hold nothing else, read as JSON where it is short and may be of interest. */
function unwrapResult(result: unknown, isOfInterest: (text: string) => boolean): unknown {
  let told = result;
  for (let depth = 0; depth < MAX_UNWRAP_DEPTH; depth += 1) {
    if (typeof told === 'string') {
      if (told.length > MAX_LENGTH || !isOfInterest(told)) return undefined;
      const inner = SERIALIZED.test(told) ? parseJson(told) : undefined;
      if (inner === undefined) return told;
      told = inner;
    }
    const inner = soleValue(told);
    if (inner === undefined) return told;
    told = inner;
  }
  return told;
}

function soleValue(told: unknown): unknown {
  if (Array.isArray(told))
    return told.length === 1 && get(told[0], 'type') === 'text' ? get(told[0], 'text') : undefined;
  if (!isObject(told)) return undefined;
  const [key, another] = Object.keys(told);
  return key !== undefined && another === undefined && /^(?:result|output|content|response)$/.test(key)
    ? told[key]
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
