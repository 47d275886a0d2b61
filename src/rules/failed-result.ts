import { get, getString, isObject, parseJson } from '../core/json.ts';
import type { Effect } from './tool-effect.ts';

/**
 * Results that tell of a failure which their trace does not flag. Most frameworks flag only what was thrown, and most
 * tools throw nothing: they return `{"success": false, "message": "…"}`, or a text that begins with "Error:".
 */

/** Longer results than this are data, not a message of failure. */
const LONGEST = 4000;

/** What only holds another value, such as `{"result": {…}}`, is opened so often. */
const DEEPEST = 3;

/** Written as an object or a list. */
const WRITTEN = /^\s*[{[]/;

const WRAPPED = /^\s*(?:\{\s*["'](?:result|output|content|response)["']|\[\s*\{\s*["']t)/;

const TELLS =
  /rror\\?["']\s*:|(?:success|ok)\\?["']\s*:\s*\\?["']?[fF]alse|status\\?["']\s*:\s*\\?["'](?:[eE]rr|ERR|[fF]ail|FAIL)/;

/** Whatever `TELLS` finds has one of these, and most texts have none. */
const TELLING = ['rror', 'alse', 'fail', 'Fail', 'FAIL', 'ERR'];

/** Whether a text has to be read: nearly no object tells of a failure. */
function mayTell(text: string): boolean {
  if (!WRITTEN.test(text) || WRAPPED.test(text)) return true;
  return TELLING.some((word) => text.includes(word)) && TELLS.test(text);
}

/** How a message of failure begins, and a document about failures hardly ever. */
const MESSAGE =
  /^[^\w{[]{0,5}(?:[\w. ]{0,40}?(?:error|exception|failed|failure)\s*:|error (?:executing|calling|running|invoking)\b|traceback \(most recent)/i;

/** How the answer to a change begins that was not made; what was looked up may begin so too. */
const REFUSAL = /^[^\w{[]{0,5}(?:error|failed|failure|exception|denied|forbidden|unauthori[sz]ed|invalid)\b/i;

/** An object that is cut off, or written as Python does. */
const BROKEN_OBJECT =
  /^\s*\{\s*['"](?:error['"]\s*:\s*['"](?!none\b|no error\b)[^'"]|(?:success|ok)['"]\s*:\s*false\b)/i;

/** Whether a call of a tool with such an effect returned no more than that it failed. */
export function tellsOfFailure(result: unknown, effect: Effect): boolean {
  const told = opened(result, mayTell);
  if (typeof told === 'string') {
    return MESSAGE.test(told) || BROKEN_OBJECT.test(told) || (effect === 'changes' && REFUSAL.test(told));
  }
  if (isNo(get(told, 'success')) || isNo(get(told, 'ok'))) return true;
  if (isYes(get(told, 'isError')) || isYes(get(told, 'is_error'))) return true;
  const status = getString(told, 'status') ?? '';
  if (SETTLED.test(status) || isYes(get(told, 'success')) || isYes(get(told, 'ok'))) return false;
  // What is looked up may have failed, and the look-up not.
  return isError(get(told, 'error')) || (effect === 'changes' && /^(?:error|fail(?:ed|ure)?)$/i.test(status));
}

/** What a failed call returned says: its message, where it is an object with one. */
export function messageOf(result: unknown): string {
  const told = opened(result, () => true);
  if (typeof told === 'string') return told;
  const error = get(told, 'error');
  const said = [error, get(error, 'message'), ...MESSAGE_KEYS.map((key) => get(told, key)), result];
  return said.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

const MESSAGE_KEYS = ['message', 'error_message', 'errorMessage', 'reason', 'detail'];

const SETTLED = /^(?:ok|success(?:ful)?|succeeded|done|completed?)$/i;

/** A result without the wrappers that hold nothing else, read as JSON where it is short and may be of interest. */
function opened(result: unknown, isOfInterest: (text: string) => boolean): unknown {
  let told = result;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    if (typeof told === 'string') {
      if (told.length > LONGEST || !isOfInterest(told)) return undefined;
      const inner = WRITTEN.test(told) ? parseJson(told) : undefined;
      if (inner === undefined) return told;
      told = inner;
    }
    const inner = onlyValueOf(told);
    if (inner === undefined) return told;
    told = inner;
  }
  return told;
}

function onlyValueOf(told: unknown): unknown {
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

function isYes(value: unknown): boolean {
  return value === true || value === 'true';
}

function isNo(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^false$/i.test(value));
}
