import { get, getArray, getId, getObject, getString, isObject } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf, firstPresent, jsonText, openAiUsage } from '../../values.ts';
import { type AgentMessage, joinTexts, type LocatedText, type Message, type RequestedCall } from './conversation.ts';

/** The message dialect of OpenAI's chat completions, which most other formats use as well. */

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Types of content parts in chat completions. Those of all other dialects differ. */
const PART_TYPES: ReadonlySet<unknown> = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal', 'audio']);

/** Keys of messages in other dialects only: OTel's, Gemini's or the AI SDK's, LangChain's, SWE-agent's. */
const FOREIGN_KEYS = [
  'parts',
  'toolInvocations',
  'lc',
  'kwargs',
  'message_type',
  'invalid_tool_calls',
  'additional_kwargs',
] as const;

/** Values of `type` in messages of other dialects only: LangChain's and OpenAI Responses'. */
const FOREIGN_TYPES =
  /^(?:human|ai|constructor|message|reasoning|function_call|function_call_output|function_call_result|tool-.*|.*_call)$/;

/** Whether a value is a message of this dialect: a known role, with content of a type that the role can have. */
function isOpenAiMessage(value: unknown): boolean {
  if (!isObject(value) || !ROLES.has(get(value, 'role'))) return false;
  const content = get(value, 'content');
  if (typeof content === 'string') return true;
  if (Array.isArray(content)) return sample(content, 20).every((part) => PART_TYPES.has(get(part, 'type')));
  const agentOnly = getArray(value, 'tool_calls') ?? getObject(value, 'function_call') ?? getString(value, 'refusal');
  return (content === undefined || content === null) && get(value, 'role') === 'assistant' && agentOnly !== undefined;
}

/** Whether a value is a message of another dialect, so that its list is not in this one. */
function isForeignMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const role = get(value, 'role');
  if (typeof role === 'string' && !ROLES.has(role)) return true;
  if (FOREIGN_KEYS.some((key) => get(value, key) !== undefined)) return true;
  const type = getString(value, 'type');
  if (type !== undefined && FOREIGN_TYPES.test(type)) return true;
  const parts = getArray(value, 'content') ?? [];
  if (sample(parts, 20).some((part) => isObject(part) && !PART_TYPES.has(get(part, 'type')))) return true;
  return sample(getArray(value, 'tool_calls') ?? [], 20).some(isForeignCall);
}

function isForeignCall(call: unknown): boolean {
  if (!isObject(call) || getObject(call, 'function') || getObject(call, 'custom')) return false;
  return typeof get(call, 'function') === 'string' || get(call, 'args') !== undefined;
}

/** Whether a list of messages is in this dialect: most are, and none is in another. */
export function isOpenAi(messages: readonly unknown[]): boolean {
  return mostly(messages, isOpenAiMessage) && !messages.some(isForeignMessage);
}

/** The messages of a list in OpenAI's dialect; `pointer` is that of the list. */
export function* openAiMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message !== undefined) yield* openAiMessage(message, `${pointer}/${index}`, problems);
  }
}

/** Reads one message. Skips anything else with a warning. */
export function* openAiMessage(message: unknown, itemPointer: Pointer, problems: Problems): Generator<Message, void> {
  switch (get(message, 'role')) {
    case 'system':
    case 'developer': {
      const content = contentOf(message, itemPointer);
      if (content) yield { role: 'system', pointer: itemPointer, content };
      break;
    }
    case 'user':
      yield { role: 'user', pointer: itemPointer, content: contentOf(message, itemPointer) };
      break;
    case 'assistant':
      yield agentMessage(message, itemPointer, problems);
      break;
    case 'tool':
    case 'function': {
      const content = contentOf(message, itemPointer);
      yield {
        role: 'result',
        pointer: itemPointer,
        call: getId(message, 'tool_call_id'),
        name: getString(message, 'name'),
        value: content?.text,
        valuePointer: content?.pointer ?? itemPointer,
      };
      break;
    }
    default:
      problems.warn(
        'not-a-message',
        itemPointer,
        `Entry skipped: expected a chat message with one of the roles ${[...ROLES].join(', ')}.`,
      );
  }
}

/** An assistant's message, as in `choices[].message` and in many model spans. */
export function agentMessage(message: unknown, pointer: Pointer, problems: Problems): AgentMessage {
  const refusal = getString(message, 'refusal');
  const content = contentOf(message, pointer);
  return {
    role: 'agent',
    pointer,
    content: content ?? (refusal === undefined ? null : { text: refusal, pointer: `${pointer}/refusal` }),
    reasoning: getString(message, 'reasoning_content') ?? getString(message, 'reasoning'),
    calls: callsOf(message, pointer, problems),
    speaker: getString(message, 'name'),
    usage: openAiUsage(get(message, 'usage')),
  };
}

/** The calls in `tool_calls` and in the legacy `function_call`. */
export function callsOf(message: unknown, pointer: Pointer, problems: Problems): readonly RequestedCall[] {
  const calls: RequestedCall[] = [];
  for (const [index, request] of (getArray(message, 'tool_calls') ?? []).entries()) {
    const itemPointer = `${pointer}/tool_calls/${index}`;
    const call = callOf(
      request,
      getObject(request, 'function') ?? getObject(request, 'custom') ?? request,
      itemPointer,
    );
    if (call) calls.push(call);
    else problems.warn('call-without-name', itemPointer, 'Tool call skipped: it has no tool name.');
  }
  // The predecessor of `tool_calls`: at most one call, without an id.
  const legacy = getObject(message, 'function_call');
  const call = legacy && callOf(undefined, legacy, `${pointer}/function_call`);
  if (call) calls.push(call);
  return calls;
}

function callOf(request: unknown, called: unknown, pointer: Pointer): RequestedCall | undefined {
  const name = getString(called, 'name');
  if (name === undefined || name === '') return undefined;
  const args = firstPresent(called, 'arguments', 'input', 'args');
  return { pointer, id: getId(request, 'id'), name, arguments: argumentsOf(args) };
}

/** The text of a message's `content`: a string, or the text parts of a list; null if there is none. */
function contentOf(message: unknown, pointer: Pointer): LocatedText | null {
  const content = get(message, 'content');
  const itemPointer = `${pointer}/content`;
  if (typeof content === 'string') return { text: content, pointer: itemPointer };
  if (content === undefined || content === null) return null;
  if (!Array.isArray(content)) return { text: jsonText(content), pointer: itemPointer };
  const texts: LocatedText[] = [];
  for (const [index, part] of content.entries()) {
    if (typeof part === 'string') texts.push({ text: part, pointer: `${itemPointer}/${index}` });
    for (const key of ['text', 'refusal'] as const) {
      const text = getString(part, key);
      if (text !== undefined) texts.push({ text, pointer: `${itemPointer}/${index}/${key}` });
    }
  }
  return joinTexts(texts, itemPointer);
}
