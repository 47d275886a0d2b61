import { jsonEqual } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { jsonText } from '../values.ts';

/** Maximum number of open conversations with the same first message. */
const MAX_OPEN_CONVERSATIONS = 20;

interface LoggedCall {
  readonly pointer: Pointer;
  readonly messages: readonly unknown[];
  readonly answer: unknown;
}

/** A request's messages and its answer. */
interface ModelExchange {
  readonly messages: readonly unknown[];
  readonly answer?: { readonly message: unknown };
}

/**
 * Finds the records of an API log that a later record continues. A log has one record per model call, and each repeats
 * the messages of the previous calls, so the continued records are redundant.
 */
export function supersededRecords(records: Iterable<readonly [Pointer, ModelExchange]>): ReadonlySet<Pointer> {
  const continued = new Set<Pointer>();
  const open = new Map<string, LoggedCall[]>();
  for (const [pointer, { messages, answer }] of records) {
    // A list without an answer is not a call: training data has many with the same beginning.
    if (!answer || messages.length === 0) continue;
    const beginning = jsonText(messages[0]);
    const sameBeginning = open.get(beginning) ?? [];
    const earlierCalls = sameBeginning.filter((call) => startsWith(messages, call.messages));
    // If the same call was answered in different ways, prefer the one whose answer was kept.
    const earlier =
      earlierCalls.findLast((call) => isSame(call.answer, messages[call.messages.length])) ?? earlierCalls.at(-1);
    if (earlier) continued.add(earlier.pointer);
    const others = sameBeginning.filter((call) => call !== earlier).slice(-MAX_OPEN_CONVERSATIONS);
    open.set(beginning, [...others, { pointer, messages, answer: answer.message }]);
  }
  return continued;
}

function startsWith(messages: readonly unknown[], earlier: readonly unknown[]): boolean {
  return messages.length > earlier.length && earlier.every((message, index) => isSame(message, messages[index]));
}

function isSame(a: unknown, b: unknown): boolean {
  try {
    return jsonEqual(a, b);
  } catch {
    // Nested too deeply to compare.
    return false;
  }
}
