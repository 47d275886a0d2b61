import { get, getString } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import { argumentsOf, firstPresent } from '../../values.ts';
import type { Message, RequestedCall } from './conversation.ts';

/**
 * An answer that instrumentations record as a list of calls: OpenAI's `tool_calls`, or the AI SDK's `{toolCallId,
 * toolName, input}`.
 */

/** Whether a list consists of calls. */
export function isCallList(entries: readonly unknown[]): boolean {
  return entries.length > 0 && entries.every((entry) => callOf(entry, '') !== undefined);
}

/** The calls of a list as one message with the location of the list. */
export function* callListMessages(entries: readonly unknown[], pointer: Pointer): Generator<Message, void> {
  const calls = entries.flatMap((entry, index) => callOf(entry, `${pointer}/${index}`) ?? []);
  yield { role: 'agent', pointer, content: null, calls };
}

function callOf(entry: unknown, pointer: Pointer): RequestedCall | undefined {
  const called = get(entry, 'function');
  const args = get(called, 'arguments') ?? firstPresent(entry, 'input', 'args');
  const name = getString(called, 'name') ?? getString(entry, 'toolName');
  const id = getString(entry, 'id') ?? getString(entry, 'toolCallId');
  // The definition of a tool also has a function, but no id.
  return name && id !== undefined ? { pointer, id, name, arguments: argumentsOf(args) } : undefined;
}
