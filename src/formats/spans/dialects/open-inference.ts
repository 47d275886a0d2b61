import { get, getArray, getString } from '../../../core/json.ts';
import type { Tool } from '../../../core/session.ts';
import type { LocatedText, Message, RequestedCall } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { argumentsOf, jsonText } from '../../values.ts';
import type { Attribute, Attributes } from '../attributes.ts';
import { agentText, chatMessages, inputMessages, outputMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanExecution, SpanKind, SpanRetrieval } from '../dialect.ts';
import { parseExecutedArguments } from '../python-literal.ts';
import type { Span } from '../span.ts';
import { usageOf } from '../usage.ts';
import { resultOf } from './gen-ai.ts';

/** OpenInference, the conventions of Arize Phoenix: every field of every message is an attribute. */
export const openInference: SpanDialect = {
  name: 'open-inference',

  kindOf(span) {
    const kind = span.attributes.text('openinference.span.kind');
    if (kind !== undefined) return KINDS.get(kind.toUpperCase()) ?? null;
    return movedContent(span) ? kindOfMoved(span) : undefined;
  },

  hasContent: (span) =>
    contentOn(span, 'input') !== undefined ||
    contentOn(span, 'output') !== undefined ||
    span.attributes.hasAny('llm.input_messages.') ||
    span.attributes.hasAny('llm.output_messages.'),

  input(span, problems) {
    const messages = flatMessages(span.attributes, 'llm.input_messages');
    const value = contentOn(span, 'input');
    if (messages.length === 0) return inputMessages(value, problems);
    return messages.some(isPoor) ? ((value && chatMessages(value, problems)) ?? messages) : messages;
  },

  output(span, problems) {
    const messages = flatMessages(span.attributes, 'llm.output_messages');
    const value = contentOn(span, 'output');
    if (messages.length === 0) return withGeneratedText(outputMessages(value, problems), value);
    return messages.every(isEmpty) ? ((value && chatMessages(value, problems)) ?? messages) : messages;
  },

  raw: (span) => ({ input: contentOn(span, 'input'), output: contentOn(span, 'output') }),

  details: ({ attributes }) => ({
    model: attributes.text('llm.model_name', 'gen_ai.response.model', 'gen_ai.request.model'),
    finishReason: attributes.text('llm.finish_reason'),
    usage: usageOf(attributes, USAGE),
  }),

  execution,
  retrieval,
  tools: toolsOf,
  agentName: ({ attributes }) => attributes.text('agent.name', 'gen_ai.agent.name'),
};

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['LLM', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['AGENT', 'agent'],
  ['CHAIN', 'chain'],
]);

const USAGE = {
  input: ['llm.token_count.prompt', 'gen_ai.usage.input_tokens'],
  output: ['llm.token_count.completion', 'gen_ai.usage.output_tokens'],
  cached: ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'],
  reasoning: ['llm.token_count.completion_details.reasoning'],
} as const;

type Side = 'input' | 'output';

const VALUES = { input: 'input.value', output: 'output.value' } as const;

/**
 * The input or output of a span. AWS's distribution moves it into an event with the name of the instrumentation, as
 * messages with the text of one attribute each.
 */
function contentOn(span: Span, side: Side): Attribute | undefined {
  return span.attributes.find(VALUES[side]) ?? movedValue(movedContent(span), side);
}

/** The body of the event to which content was moved. */
function movedContent({ events }: Span): Attribute | undefined {
  return events.find(({ name, body }) => body && name.startsWith('openinference.instrumentation'))?.body;
}

/** One message is the value; several, of which one has the structure of a value, are that one; else they are a chat. */
function movedValue(body: Attribute | undefined, side: Side): Attribute | undefined {
  const messages = getArray(get(body?.value, side), 'messages');
  if (!body || !messages || messages.length === 0) return undefined;
  const at = (path: string) => (body.isRewritten ? body.pointer : `${body.pointer}/${side}/messages${path}`);
  const structured = messages.findIndex((message) => typeof parseQuotedJson(get(message, 'content')) === 'object');
  const index = messages.length === 1 ? 0 : structured;
  if (index === -1) return { ...body, value: messages, pointer: at('') };
  return { ...body, value: get(messages[index], 'content'), pointer: at(`/${index}/content`) };
}

/**
 * Where the kind of a span was lost with its attributes, LangChain's results tell it. The graphs around models and tools
 * repeat their messages and have lost their place among the spans, so they are left out.
 */
function kindOfMoved(span: Span): SpanKind | null {
  const result = parseQuotedJson(contentOn(span, 'output')?.value);
  if (getArray(result, 'generations')) return 'model';
  const input = parseQuotedJson(contentOn(span, 'input')?.value);
  // The node of a graph that calls a tool records the call around the call.
  return isToolMessage(result) && getString(input, '__type') === undefined ? 'tool' : null;
}

function isToolMessage(value: unknown): boolean {
  return getString(value, 'type') === 'tool' && getString(value, 'tool_call_id') !== undefined;
}

/**
 * Instrumentations that flatten LangChain's messages lose calls and ids, which the request and the response contain.
 */
function isPoor(message: Message): boolean {
  return message.role === 'result' ? message.call === undefined : message.role === 'agent' && isEmpty(message);
}

function isEmpty(message: Message): boolean {
  return message.role === 'agent' && !message.content?.text && message.calls.length === 0;
}

/** LangChain's results have the text of a generation beside its message, or alone. */
function withGeneratedText(messages: readonly Message[], value: Attribute | undefined): readonly Message[] {
  if (!value || !messages.every((message) => message.role === 'agent' && !message.content?.text)) return messages;
  const [generations] = getArray(parseQuotedJson(value.value), 'generations') ?? [];
  const text = Array.isArray(generations) ? getString(generations[0], 'text') : undefined;
  if (!text) return messages;
  const content = { text, pointer: value.pointer };
  const [message] = messages;
  return [message?.role === 'agent' ? { ...message, content } : agentText(content, value.pointer)];
}

function flatMessages(attributes: Attributes, prefix: string): Message[] {
  return attributes.records(prefix).flatMap((outer): Message[] => {
    const record = outer.under('message');
    const { text, reasoning } = contentOf(record);
    const calls = callsOf(record);
    const pointer = text?.pointer ?? calls[0]?.pointer ?? record.find('role')?.pointer ?? reasoning?.pointer;
    if (pointer === undefined) return [];
    switch (
      record
        .text('role')
        ?.toLowerCase()
        .replace(/^messagerole\./, '')
    ) {
      case 'system':
      case 'developer':
        return text ? [{ role: 'system', pointer, content: text }] : [];
      case 'user':
      case 'human':
        return [{ role: 'user', pointer, content: text }];
      case 'tool':
      case 'function':
      case 'tool-response':
      case 'tool_response':
        return [
          {
            role: 'result',
            pointer,
            call: record.text('tool_call_id'),
            name: record.text('name'),
            value: text?.text,
            valuePointer: pointer,
          },
        ];
      default:
        return [{ role: 'agent', pointer, content: text, reasoning: reasoning?.text, calls }];
    }
  });
}

/** A text, or the texts of parts, under the keys that instrumentations use. */
function contentOf(record: Attributes): { text: LocatedText | null; reasoning: LocatedText | undefined } {
  const whole = record.find('content');
  if (typeof whole?.value === 'string' && whole.value !== '') {
    return { text: { text: whole.value, pointer: whole.pointer }, reasoning: undefined };
  }
  const texts: LocatedText[] = [];
  const thoughts: LocatedText[] = [];
  for (const outer of record.records('contents')) {
    const part = outer.under('message_content');
    const text = part.find('text');
    if (typeof text?.value !== 'string') continue;
    (part.text('type') === 'reasoning' ? thoughts : texts).push({ text: text.value, pointer: text.pointer });
  }
  for (const part of record.records('content')) {
    const text = part.find('');
    if (typeof text?.value === 'string') texts.push({ text: text.value, pointer: text.pointer });
  }
  const empty = whole && typeof whole.value === 'string' ? { text: whole.value, pointer: whole.pointer } : null;
  return { text: joined(texts) ?? empty, reasoning: joined(thoughts) ?? undefined };
}

function joined([first, ...others]: readonly LocatedText[]): LocatedText | null {
  if (!first) return null;
  return { text: [first, ...others].map(({ text }) => text).join('\n'), pointer: first.pointer };
}

function callsOf(record: Attributes): RequestedCall[] {
  const calls = record.records('tool_calls').flatMap((outer): RequestedCall[] => {
    const call = outer.under('tool_call');
    const name = call.find('function.name');
    if (typeof name?.value !== 'string' || name.value === '') return [];
    const args = argumentsOf(call.get('function.arguments'));
    return [{ pointer: name.pointer, id: call.text('id'), name: name.value, arguments: args }];
  });
  const legacy = record.find('function_call_name');
  if (calls.length > 0 || typeof legacy?.value !== 'string' || legacy.value === '') return calls;
  const args = argumentsOf(record.get('function_call_arguments_json'));
  return [{ pointer: legacy.pointer, name: legacy.value, arguments: args }];
}

function execution(span: Span): SpanExecution {
  const { attributes, name, error } = span;
  const args = contentOn(span, 'input') ?? attributes.find('tool.parameters');
  const output = contentOn(span, 'output');
  const moved = movedContent(span) && getString(parseQuotedJson(output?.value), 'name');
  return {
    call: attributes.text('tool.id', 'tool_call.id', 'tool.call.id', 'gen_ai.tool.call.id'),
    name: attributes.text('tool.name', 'gen_ai.tool.name') ?? moved ?? name,
    arguments: parseExecutedArguments(args?.value),
    ...returned(output),
    error,
  };
}

/** The result of a tool; for LangChain's tool messages, their content, id and status. */
function returned(output: Attribute | undefined): Partial<SpanExecution> {
  const value = parseQuotedJson(output?.value);
  const outer = get(value, 'output') ?? value;
  const message = get(outer, 'kwargs') ?? outer;
  const content = get(message, 'content');
  const call = getString(message, 'tool_call_id');
  if (!output || call === undefined || content === undefined) return resultOf(output);
  const failed = getString(message, 'status') === 'error';
  return { call, ...resultOf({ value: content, pointer: output.pointer }), ...(failed && { outcome: 'error' }) };
}

function retrieval(span: Span): SpanRetrieval {
  const { attributes } = span;
  const query = parseQuotedJson(contentOn(span, 'input')?.value);
  return {
    query: typeof query === 'string' ? query : (getString(query, 'query') ?? getString(query, 'input')),
    documents: attributes.records('retrieval.documents').map((outer) => {
      const document = outer.under('document');
      const text = document.get('content');
      return {
        id: document.text('id'),
        text: typeof text === 'string' ? text : jsonText(text),
        score: document.count('score'),
      };
    }),
  };
}

function toolsOf({ attributes }: Span): readonly Tool[] | undefined {
  return toolCatalogue(
    attributes.records('llm.tools').map((tool) => parseQuotedJson(tool.get('tool.json_schema', 'json_schema'))),
  );
}
