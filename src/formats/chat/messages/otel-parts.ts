import { get, getArray, getId, getString } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf, firstPresent, firstPresentKey } from '../../values.ts';
import { joinTexts, type LocatedText, type Message, type RequestedCall, type ResultMessage } from './conversation.ts';

/**
 * The messages of OpenTelemetry's GenAI conventions since 1.37: `{role, parts: [{type, …}]}`, in
 * `gen_ai.input.messages` and `gen_ai.output.messages`.
 */

const CALL = /^(?:server_)?tool_call$/;
const RESPONSE = /^(?:server_)?tool_call_response$/;
const REASONING = /^(?:reasoning|thinking)$/;

/** Whether a list is in this dialect: most entries are messages with typed parts, and one part is unique to it. */
export function isOtelParts(messages: readonly unknown[]): boolean {
  return messages.some(isDistinctive) && mostly(messages, isMessage);
}

function isMessage(message: unknown): boolean {
  const parts = getArray(message, 'parts');
  return (
    typeof get(message, 'role') === 'string' &&
    parts !== undefined &&
    sample(parts, 20).every((part) => typeof get(part, 'type') === 'string')
  );
}

function isDistinctive(message: unknown): boolean {
  return isMessage(message) && sample(getArray(message, 'parts') ?? [], 20).some(isDistinctivePart);
}

/** The AI SDK's parts also have types, but its text is in `text`, and its calls have another type. */
function isDistinctivePart(part: unknown): boolean {
  const type = getString(part, 'type') ?? '';
  return CALL.test(type) || RESPONSE.test(type) || typeof get(part, 'content') === 'string';
}

/** The messages of a list; `pointer` is that of the list. */
export function* otelMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const parts = getArray(message, 'parts');
    const role = getString(message, 'role');
    if (!parts || role === undefined) {
      problems.warn('not-a-message', itemPointer, 'Entry skipped: expected a message with `role` and `parts`.');
      continue;
    }
    const { text, reasoning, calls, results } = otelParts(parts, `${itemPointer}/parts`, problems);
    yield* results;
    switch (role) {
      case 'system':
      case 'developer':
        if (text) yield { role: 'system', pointer: itemPointer, content: text };
        break;
      case 'assistant':
      case 'model':
        yield {
          role: 'agent',
          pointer: itemPointer,
          content: text,
          reasoning,
          calls,
          finishReason: getString(message, 'finish_reason'),
          speaker: getString(message, 'name'),
        };
        break;
      case 'tool':
        break;
      default:
        // Some instrumentations write results as user messages, as they are sent to the model.
        if (text || results.length === 0) yield { role: 'user', pointer: itemPointer, content: text };
    }
  }
}

export interface OtelParts {
  readonly text: LocatedText | null;
  readonly reasoning: string | undefined;
  readonly calls: readonly RequestedCall[];
  readonly results: readonly ResultMessage[];
}

/** The parts of a message or of instructions; `pointer` is that of the list. */
export function otelParts(parts: readonly unknown[], pointer: Pointer, problems: Problems): OtelParts {
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls: RequestedCall[] = [];
  const results: ResultMessage[] = [];
  for (const [index, part] of parts.entries()) {
    const itemPointer = `${pointer}/${index}`;
    const type = getString(part, 'type') ?? '';
    if (typeof part === 'string') {
      texts.push({ text: part, pointer: itemPointer });
    } else if (CALL.test(type)) {
      const call = callOf(part, itemPointer);
      if (call) calls.push(call);
      else problems.warn('call-without-name', itemPointer, 'Tool call skipped: it has no tool name.');
    } else if (RESPONSE.test(type)) {
      results.push(resultOf(part, itemPointer));
    } else {
      const key =
        type === '' || type === 'text' || REASONING.test(type) ? firstPresentKey(part, 'content', 'text') : undefined;
      const text = key && getString(part, key);
      if (text !== undefined && REASONING.test(type)) thoughts.push(text);
      else if (text !== undefined) texts.push({ text, pointer: `${itemPointer}/${key}` });
    }
  }
  return { text: joinTexts(texts, pointer), reasoning: thoughts.join('\n') || undefined, calls, results };
}

function callOf(part: unknown, pointer: Pointer): RequestedCall | undefined {
  const inner = get(part, 'server_tool_call');
  const name = getString(part, 'name') ?? getString(inner, 'name');
  if (name === undefined || name === '') return undefined;
  const args = firstPresent(part, 'arguments', 'args', 'input') ?? firstPresent(inner, 'arguments', 'input');
  return { pointer, id: getId(part, 'id'), name, arguments: argumentsOf(args) };
}

function resultOf(part: unknown, pointer: Pointer): ResultMessage {
  const key = firstPresentKey(part, 'response', 'result', 'content', 'server_tool_call_response');
  return {
    role: 'result',
    pointer,
    call: getId(part, 'id'),
    name: getString(part, 'name'),
    value: key === undefined ? undefined : get(part, key),
    valuePointer: key === undefined ? pointer : `${pointer}/${key}`,
    outcome: get(part, 'is_error') === true ? 'error' : undefined,
  };
}
