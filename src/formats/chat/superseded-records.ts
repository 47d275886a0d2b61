import { jsonEqual } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { jsonText } from '../values.ts';

/** How many conversations that begin alike are told apart at once. */
const MAX_OPEN_CONVERSATIONS = 20;

interface LoggedCall {
  readonly pointer: Pointer;
  readonly messages: readonly unknown[];
  readonly answer: unknown;
}

/** What was sent, and what came back. */
interface ModelExchange {
  readonly messages: readonly unknown[];
  readonly answer?: { readonly message: unknown };
}

/**
 * The log of an API has a record for every call of a model, request and response, and each repeats all messages of
 * the calls before it. These are the records that a later one goes on from, so that it tells what they tell.
 */
export function supersededRecords(records: Iterable<readonly [Pointer, ModelExchange]>): ReadonlySet<Pointer> {
  const continued = new Set<Pointer>();
  const open = new Map<string, LoggedCall[]>();
  for (const [pointer, { messages, answer }] of records) {
    // A list alone is no call: training data has many that begin alike.
    if (!answer || messages.length === 0) continue;
    const beginning = jsonText(messages[0]);
    const alike = open.get(beginning) ?? [];
    const before = alike.filter((call) => startsWith(messages, call.messages));
    // Of calls that were answered in different ways, the one whose answer was kept.
    const earlier = before.findLast((call) => isSame(call.answer, messages[call.messages.length])) ?? before.at(-1);
    if (earlier) continued.add(earlier.pointer);
    const others = alike.filter((call) => call !== earlier).slice(-MAX_OPEN_CONVERSATIONS);
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
    // Nested too deeply to be compared.
    return false;
  }
}
