import type { Pointer } from '../../../core/session.ts';
import type { LocatedText, Message, RequestedCall } from './conversation.ts';

/** Moves the pointers of a message that was read from a part of a file. */
export function relocate(message: Message, relocatePointer: (pointer: Pointer) => Pointer): Message {
  const pointer = relocatePointer(message.pointer);
  switch (message.role) {
    case 'system':
      return { ...message, pointer, content: text(message.content) };
    case 'user':
      return {
        ...message,
        pointer,
        content: message.content && text(message.content),
        calls: message.calls && calls(message.calls),
      };
    case 'agent':
      return {
        ...message,
        pointer,
        content: message.content && text(message.content),
        answer: message.answer && text(message.answer),
        calls: calls(message.calls),
      };
    case 'result':
      return { ...message, pointer, valuePointer: relocatePointer(message.valuePointer) };
    case 'sub-agent':
      // Sub-agents only occur in logs of whole sessions.
      return { ...message, pointer, turns: [] };
  }

  function text(located: LocatedText): LocatedText {
    return { text: located.text, pointer: relocatePointer(located.pointer) };
  }

  function calls(requested: readonly RequestedCall[]): RequestedCall[] {
    return requested.map((call) => ({ ...call, pointer: relocatePointer(call.pointer) }));
  }
}
