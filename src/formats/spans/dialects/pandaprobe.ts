import { get, getArray, getId, getNumber, getString } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Message } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { agentMessage } from '../../chat/messages/openai.ts';
import { argumentsOf, firstPresentKey, jsonText, openAiUsage } from '../../values.ts';
import type { Attributes } from '../attributes.ts';
import { inputMessages, outputMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanKind, SpanRetrieval } from '../dialect.ts';
import type { Span } from '../span.ts';
import { resultOf } from './gen-ai.ts';

/** PandaProbe's spans, and the trace around them, which contains the input and output of a turn. */
export const pandaProbe: SpanDialect = {
  name: 'pandaprobe',
  kindOf: ({ attributes }) => KINDS.get(attributes.text('kind') ?? '') ?? (attributes.find('spans') ? 'chain' : null),
  hasContent: () => true,

  /** Only the new messages of a trace's history: one trace is one turn. */
  input({ attributes }, problems) {
    if (!attributes.find('spans')) return [];
    const input = inputMessages(attributes.find('input'), problems, true);
    const start = input.findLastIndex(({ role }) => role === 'agent' || role === 'result') + 1;
    return input.filter(({ role }, index) => role === 'system' || (role === 'user' && index >= start));
  },

  output({ attributes, pointer }, problems) {
    const output = attributes.find('output');
    const isMessage = getArray(output?.value, 'tool_calls') && getString(output?.value, 'role') === undefined;
    const messages =
      output && isMessage
        ? [agentMessage(output.value, output.pointer, problems)]
        : outputMessages(output, problems, true);
    return withReasoning(messages, reasoningOf(attributes), pointer);
  },

  raw: ({ attributes }) => ({ input: attributes.find('input'), output: attributes.find('output') }),

  details: ({ attributes }) => ({
    model: attributes.text('model'),
    usage: openAiUsage(attributes.get('token_usage')),
  }),

  execution({ attributes, name, error }) {
    return {
      call: getString(attributes.get('metadata'), 'tool_call_id'),
      name,
      arguments: argumentsOf(attributes.get('input')),
      ...resultOf(attributes.find('output')),
      error,
    };
  },

  retrieval,
  tools: ({ attributes }) =>
    toolCatalogue(get(parseQuotedJson(attributes.get('input')), 'tools')) ??
    toolCatalogue(get(attributes.get('metadata'), 'tools')),
  agentName: () => undefined,
};

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['LLM', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['AGENT', 'agent'],
]);

const REASONING_KEYS = ['reasoning_summary', 'reasoning_content', 'reasoning', 'thinking'] as const;

/** The thoughts of a model: a text, a list of texts, or parts with a text each. */
function reasoningOf(attributes: Attributes): string | undefined {
  if (attributes.text('kind') !== 'LLM') return undefined;
  const metadata = attributes.get('metadata');
  for (const key of REASONING_KEYS) {
    const value = get(metadata, key);
    const parts = Array.isArray(value) ? value : [value];
    const texts = parts.flatMap((part) => (typeof part === 'string' ? part : (getString(part, 'text') ?? [])));
    const text = texts.join('\n').trim();
    if (text !== '') return text;
  }
  return undefined;
}

/** Adds thoughts to the first answer that has none; they may be all that the model gave. */
function withReasoning(
  messages: readonly Message[],
  reasoning: string | undefined,
  pointer: Pointer,
): readonly Message[] {
  if (reasoning === undefined) return messages;
  const index = messages.findIndex(({ role }) => role === 'agent');
  const answer = messages[index];
  if (answer?.role !== 'agent') return [{ role: 'agent', pointer, content: null, reasoning, calls: [] }, ...messages];
  return answer.reasoning ? messages : messages.with(index, { ...answer, reasoning });
}

function retrieval({ attributes }: Span): SpanRetrieval {
  const input = attributes.get('input');
  const output = attributes.get('output');
  const key = firstPresentKey(output, 'documents', 'results', 'matches', 'chunks');
  const list = Array.isArray(output) ? output : key === undefined ? undefined : getArray(output, key);
  const query =
    typeof input === 'string' ? input : get(input, firstPresentKey(input, 'query', 'question', 'input') ?? '');
  return {
    query: typeof query === 'string' ? query : undefined,
    documents: (list ?? []).map((document) => ({
      id: getId(document, 'id'),
      text: textOf(document),
      score: getNumber(document, 'score'),
    })),
  };
}

function textOf(document: unknown): string {
  if (typeof document === 'string') return document;
  const text = get(document, firstPresentKey(document, 'text', 'content', 'page_content') ?? '');
  return typeof text === 'string' ? text : jsonText(document);
}
