import { get, getArray, getObject, getString } from '../../core/json.ts';
import type { Pointer, Tool } from '../../core/session.ts';
import type { AgentMessage, LocatedText, Message } from '../chat/messages/conversation.ts';
import { parseChat, parseQuotedJson } from '../chat/messages/dialects.ts';
import { otelParts } from '../chat/messages/otel-parts.ts';
import { relocate } from '../chat/messages/relocate.ts';
import type { Problems } from '../problems.ts';
import { toolsOf } from '../tools.ts';
import { jsonText } from '../values.ts';
import type { Attribute } from './attributes.ts';

/**
 * Reads the content of attributes: chat messages in any dialect, a text, or an object around one of them. Only the
 * text is read, not its wrapper, so that keys do not count as words.
 */

const INPUT_KEYS = [
  'input',
  'query',
  'question',
  'prompt',
  'message',
  'text',
  'content',
  'task',
  'user_input',
] as const;
const OUTPUT_KEYS = [
  'output',
  'answer',
  'response',
  'message',
  'text',
  'content',
  'result',
  'completion',
  'final_answer',
] as const;

/** Keys around the arguments of a recorded function. */
const WRAPPERS = ['inputs', 'outputs', 'kwargs'] as const;

/** Reads an input: messages, or a text as a user message; with `anything`, any other value as JSON. */
export function inputMessages(
  attribute: Attribute | undefined,
  problems: Problems,
  anything = false,
): readonly Message[] {
  if (!attribute) return [];
  const messages = chatMessages(attribute, problems);
  if (messages) return messages;
  const content = textOf(attribute, INPUT_KEYS, anything);
  if (!content) return [];
  const { value, pointer } = attribute;
  const system = getString(parseQuotedJson(value), 'system');
  const beside = system ? { text: system, pointer: typeof value === 'string' ? pointer : `${pointer}/system` } : null;
  return [
    ...(beside ? [{ role: 'system' as const, pointer, content: beside }] : []),
    { role: 'user', pointer, content },
  ];
}

/** Reads an output: messages, or a text as an agent message; with `anything`, any other value as JSON. */
export function outputMessages(
  attribute: Attribute | undefined,
  problems: Problems,
  anything = false,
): readonly Message[] {
  if (!attribute) return [];
  const messages = chatMessages(attribute, problems);
  if (messages) return messages;
  const content = textOf(attribute, OUTPUT_KEYS, anything);
  return content ? [agentText(content, attribute.pointer)] : [];
}

/** A text as a message of the agent. */
export function agentText(content: LocatedText, pointer: Pointer): AgentMessage {
  return { role: 'agent', pointer, content, calls: [] };
}

/** The chat messages in a value. */
export function chatMessages(
  { value, pointer, isRewritten }: Attribute,
  problems: Problems,
): readonly Message[] | undefined {
  const toWhole = () => pointer;
  if (!isRewritten) {
    const chat = parseChat(value, pointer, problems);
    if (chat) return chat.messages;
  }
  const inner = parseQuotedJson(value);
  for (const candidate of [...(isRewritten ? [inner] : []), ...WRAPPERS.map((key) => get(inner, key))]) {
    const chat = parseChat(candidate, '', problems.relocate(toWhole));
    if (chat) return chat.messages.map((message) => relocate(message, toWhole));
  }
  return undefined;
}

/** Reads instructions: a text, or a list of parts. */
export function systemMessages(attribute: Attribute | undefined, problems: Problems): readonly Message[] {
  if (!attribute) return [];
  const { pointer } = attribute;
  const value = parseQuotedJson(attribute.value);
  const parts = Array.isArray(value) ? value : getArray(value, 'parts');
  const text =
    typeof value === 'string'
      ? value
      : otelParts(
          parts ?? [],
          '',
          problems.relocate(() => pointer),
        ).text?.text;
  return text ? [{ role: 'system', pointer, content: { text, pointer } }] : [];
}

/** Reads a catalogue of tools: a list, or JSON of one. */
export function toolCatalogue(value: unknown): readonly Tool[] | undefined {
  const inner = parseQuotedJson(value);
  const tools = toolsOf(Array.isArray(inner) ? inner : getArray(inner, 'tools'));
  return tools && tools.length > 0 ? tools : undefined;
}

function textOf(
  { value, pointer, isRewritten }: Attribute,
  keys: readonly string[],
  anything: boolean,
): LocatedText | null {
  const inner = parseQuotedJson(value);
  if (typeof inner === 'string') return { text: inner, pointer };
  const text = textUnder(inner, keys);
  // A pointer cannot lead into JSON inside a string.
  const isWhole = isRewritten || typeof value === 'string';
  if (text) return { text: text.text, pointer: isWhole ? pointer : pointer + text.pointer };
  if (!anything || inner === undefined || inner === null) return null;
  return { text: typeof value === 'string' ? value : jsonText(inner), pointer };
}

function textUnder(value: unknown, keys: readonly string[], depth = 0): LocatedText | undefined {
  for (const key of keys) {
    const text = getString(value, key);
    if (text !== undefined) return { text, pointer: `/${key}` };
  }
  for (const key of WRAPPERS) {
    const inner = depth < 2 ? getObject(value, key) : undefined;
    const located = inner && textUnder(inner, keys, depth + 1);
    if (located) return { text: located.text, pointer: `/${key}${located.pointer}` };
  }
  // The first positional argument of a function.
  const [first] = getArray(value, 'args') ?? [];
  return typeof first === 'string' ? { text: first, pointer: '/args/0' } : undefined;
}
