import { get, getString, isObject } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Message, RequestedCall } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { relocate } from '../../chat/messages/relocate.ts';
import type { Problems } from '../../problems.ts';
import { argumentsOf } from '../../values.ts';
import type { Attribute, Attributes } from '../attributes.ts';
import { chatMessages, inputMessages, outputMessages, systemMessages } from '../content.ts';
import type { SpanDialect } from '../dialect.ts';
import type { Span, SpanEvent } from '../span.ts';

/**
 * Reads messages in the three generations of OpenTelemetry's GenAI conventions and their variants: attributes with
 * lists of messages (1.37 and later), an event or log record per message (1.28 to 1.36), and an attribute per field of
 * each message (earlier, and OpenLLMetry).
 */

/** The event with the content that 1.37 keeps in attributes, for instrumentations that keep attributes small. */
const DETAILS = 'gen_ai.client.inference.operation.details';

const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;
const CHOICE = 'gen_ai.choice';

/** Lists of messages and whole requests, the most informative first. */
const INPUT_KEYS = ['gen_ai.input.messages', 'gen_ai.prompt', 'request_data', 'langfuse.observation.input'] as const;
const OUTPUT_KEYS = [
  'gen_ai.output.messages',
  'gen_ai.completion',
  'gen_ai.output',
  'response_data',
  'langfuse.observation.output',
] as const;

/** Inputs and outputs of agent runs and the functions around them. */
const ENTITY_INPUT = ['traceloop.entity.input', 'input.value', 'input'] as const;
const ENTITY_OUTPUT = ['final_result', 'traceloop.entity.output', 'output.value', 'output'] as const;

/** The whole conversation, input and output, on Pydantic AI's agent spans. */
const CONVERSATION_KEYS = ['pydantic_ai.all_messages', 'all_messages_events'] as const;

export function hasGenAiContent({ attributes, events }: Span): boolean {
  if (attributes.find(...INPUT_KEYS, ...OUTPUT_KEYS, ...ENTITY_INPUT, ...ENTITY_OUTPUT, ...CONVERSATION_KEYS, 'events'))
    return true;
  if (attributes.hasAny('gen_ai.prompt.') || attributes.hasAny('gen_ai.completion.')) return true;
  return events.some(({ name, body }) => MESSAGE_EVENT.test(name) || name === CHOICE || name === DETAILS || body);
}

/** Whether events contain messages, even if no attribute marks a model call. */
export function hasMessageEvents({ events }: Span): boolean {
  return events.some(({ name }) => MESSAGE_EVENT.test(name) || name === CHOICE);
}

export function genAiInput(span: Span, problems: Problems): readonly Message[] {
  const { attributes, events } = span;
  for (const holder of [attributes, ...detailsOf(events)]) {
    const messages = chatAt(holder.find(...INPUT_KEYS), problems);
    const system = systemMessages(holder.find('gen_ai.system_instructions'), problems);
    if (messages.length > 0 || system.length > 0) return [...system, ...messages];
  }
  const whole = wholeConversation(attributes, problems);
  // The input ends with the last request.
  if (whole) return whole.slice(0, whole.findLastIndex(({ role }) => role === 'user') + 1);
  const recorded = eventMessages(attributes, events, problems).filter(({ choice }) => !choice);
  if (recorded.length > 0) return recorded.map(({ message }) => message);
  const flat = flatMessages(attributes, 'gen_ai.prompt');
  if (flat.length > 0) return flat;
  const body = bodyOf(events, 'input');
  return inputMessages(body ?? attributes.find(...ENTITY_INPUT), problems);
}

export function genAiOutput(span: Span, problems: Problems): readonly Message[] {
  const { attributes, events } = span;
  for (const holder of [attributes, ...detailsOf(events)]) {
    const output = holder.find(...OUTPUT_KEYS);
    const messages = output && (anyAgentCalls(output) ?? chatMessages(output, problems) ?? verbatim(output));
    if (messages && messages.length > 0) return messages;
  }
  const whole = wholeConversation(attributes, problems);
  if (whole) return whole;
  const recorded = eventMessages(attributes, events, problems).filter(({ choice }) => choice);
  if (recorded.length > 0) return recorded.map(({ message }) => message);
  const flat = flatMessages(attributes, 'gen_ai.completion');
  if (flat.length > 0) return flat;
  const body = bodyOf(events, 'output');
  return outputMessages(body ?? attributes.find(...ENTITY_OUTPUT), problems);
}

export function rawGenAi({ attributes }: Span): ReturnType<SpanDialect['raw']> {
  return { input: attributes.find(...ENTITY_INPUT), output: attributes.find(...ENTITY_OUTPUT) };
}

function chatAt(attribute: Attribute | undefined, problems: Problems): readonly Message[] {
  return attribute ? (chatMessages(attribute, problems) ?? inputMessages(attribute, problems)) : [];
}

function detailsOf(events: readonly SpanEvent[]): readonly Attributes[] {
  return events.filter(({ name }) => /^gen_ai\.(?:client\.|content\.)/.test(name)).map(({ attributes }) => attributes);
}

function wholeConversation(attributes: Attributes, problems: Problems): readonly Message[] | undefined {
  const whole = attributes.find(...CONVERSATION_KEYS);
  if (!whole) return undefined;
  const chat = chatMessages(whole, problems);
  if (chat) return chat;
  const recorded = listedEvents(whole, problems);
  return recorded.length > 0 ? recorded.map(({ message }) => message) : undefined;
}

/** `{input: {messages}, output: {messages}}` in the body of a log record, where AWS's distribution moves content. */
function bodyOf(events: readonly SpanEvent[], key: 'input' | 'output'): Attribute | undefined {
  for (const { body } of events) {
    const value = get(body?.value, key);
    if (body && isObject(value))
      return body.isRewritten ? { ...body, value } : { value, pointer: `${body.pointer}/${key}` };
  }
  return undefined;
}

interface EventMessage {
  readonly choice: boolean;
  readonly message: Message;
}

/** The messages in a span's events, and in the events that Pydantic AI and Logfire list in the attribute `events`. */
function eventMessages(attributes: Attributes, events: readonly SpanEvent[], problems: Problems): EventMessage[] {
  const messages = events.flatMap((event) => {
    const { name, body } = event;
    const read = (key: string) => get(body?.value, key) ?? event.attributes.get(key);
    const pointer = body?.pointer ?? event.attributes.find('content', 'message', 'tool_calls', 'id')?.pointer;
    return pointer === undefined ? [] : eventMessage(name, read, pointer, problems);
  });
  const list = attributes.find('events');
  return messages.length > 0 || !list ? messages : listedEvents(list, problems);
}

function listedEvents(list: Attribute, problems: Problems): EventMessage[] {
  const events = parseQuotedJson(list.value);
  return (Array.isArray(events) ? events : []).flatMap((event) => {
    const name = getString(event, 'event.name') ?? '';
    return eventMessage(name, (key) => get(event, key), list.pointer, problems);
  });
}

type AttributeReader = (key: string) => unknown;

function eventMessage(name: string, read: AttributeReader, pointer: Pointer, problems: Problems): EventMessage[] {
  const role = MESSAGE_EVENT.exec(name)?.[1];
  if (role) return messagesOf(role, read, pointer, problems).map((message) => ({ choice: false, message }));
  if (name !== CHOICE) return [];
  const inner = parseQuotedJson(read('message'));
  const field: AttributeReader = isObject(inner)
    ? (key) => get(inner, key)
    : (key) => (key === 'content' ? (inner ?? read(key)) : read(key));
  const finishReason = read('finish_reason');
  return messagesOf('assistant', field, pointer, problems).map((message) => ({
    choice: true,
    message: message.role === 'agent' && typeof finishReason === 'string' ? { ...message, finishReason } : message,
  }));
}

/** Reads the message of an event in the dialect of its content. Its location is that of the event. */
function messagesOf(role: string, read: AttributeReader, pointer: Pointer, problems: Problems): readonly Message[] {
  const content = parseQuotedJson(read('content'));
  const text = genAiText(read('content'));
  // Bedrock writes results as blocks of a user message.
  const isResult = Array.isArray(content) && content.some((block) => get(block, 'toolResult') !== undefined);
  const record = {
    role: isResult ? 'user' : role,
    content: Array.isArray(content) && (role !== 'tool' || isResult) ? content : (text ?? null),
    tool_calls: parseQuotedJson(read('tool_calls')),
    tool_call_id: read('id'),
    name: read('name'),
  };
  const relocated = problems.relocate(() => pointer);
  const messages = chatMessages({ value: [record], pointer }, relocated)?.map((message) =>
    relocate(message, () => pointer),
  );
  if (messages) return messages;
  const located = text === undefined ? null : { text, pointer };
  if (role === 'user') return [{ role, pointer, content: located }];
  if (role === 'assistant') return [{ role: 'agent', pointer, content: located, calls: [] }];
  return role === 'system' && located ? [{ role, pointer, content: located }] : [];
}

/** A text, or a list of texts only. */
export function genAiText(value: unknown): string | undefined {
  const inner = parseQuotedJson(value);
  const texts = (Array.isArray(inner) ? inner : []).flatMap((part) => getString(part, 'text') ?? []);
  if (texts.length > 0) return texts.join('\n');
  return typeof value === 'string' ? value : undefined;
}

/** OpenLLMetry's `gen_ai.prompt.0.role`, `gen_ai.prompt.0.tool_calls.0.name`, … */
function flatMessages(attributes: Attributes, prefix: string): readonly Message[] {
  return attributes.records(prefix).flatMap((record): Message[] => {
    const content = record.find('content', 'message', 'reasoning');
    const calls = record.records('tool_calls').flatMap((call): RequestedCall[] => {
      const name = call.find('name');
      if (typeof name?.value !== 'string' || name.value === '') return [];
      const args = argumentsOf(call.get('arguments'));
      return [{ pointer: name.pointer, id: call.text('id'), name: name.value, arguments: args }];
    });
    const pointer = content?.pointer ?? calls[0]?.pointer ?? record.find('role')?.pointer;
    if (pointer === undefined) return [];
    const text = genAiText(content?.value);
    const located = text === undefined ? null : { text, pointer };
    switch (record.text('role')) {
      case 'system':
      case 'developer':
        return located ? [{ role: 'system', pointer, content: located }] : [];
      case 'user':
      case 'human':
        return [{ role: 'user', pointer, content: located }];
      case 'tool':
      case 'function':
        return [
          { role: 'result', pointer, call: record.text('tool_call_id', 'id'), value: text, valuePointer: pointer },
        ];
      default:
        return [{ role: 'agent', pointer, content: located, calls, finishReason: record.text('finish_reason') }];
    }
  });
}

/** The text of a model, even if it is JSON. */
function verbatim({ value, pointer }: Attribute): readonly Message[] {
  const content = typeof value === 'string' ? { text: value, pointer } : null;
  return [{ role: 'agent', pointer, content, calls: [] }];
}

/** any-agent's `[{"tool.name": …, "tool.args": …}]`. */
function anyAgentCalls({ value, pointer }: Attribute): readonly Message[] | undefined {
  const list = parseQuotedJson(value);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const calls = list.flatMap((entry): RequestedCall[] => {
    const name = getString(entry, 'tool.name');
    return name ? [{ pointer, name, arguments: argumentsOf(get(entry, 'tool.args')) }] : [];
  });
  return calls.length === list.length ? [{ role: 'agent', pointer, content: null, calls }] : undefined;
}
