import { get, getArray, getId, getNumber, getString } from '../../../core/json.ts';
import { agentMessage } from '../../chat/messages/openai.ts';
import { argumentsOf, firstPresentKey, jsonText, openAiUsage } from '../../values.ts';
import { inputMessages, outputMessages } from '../content.ts';
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

  output({ attributes }, problems) {
    const output = attributes.find('output');
    const isMessage = getArray(output?.value, 'tool_calls') && getString(output?.value, 'role') === undefined;
    if (output && isMessage) return [agentMessage(output.value, output.pointer, problems)];
    return outputMessages(output, problems, true);
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
  tools: () => undefined,
  agentName: () => undefined,
};

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['LLM', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['AGENT', 'agent'],
]);

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
