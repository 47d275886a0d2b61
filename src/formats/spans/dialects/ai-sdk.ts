import type { Message } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { argumentsOf } from '../../values.ts';
import { chatMessages, inputMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanKind } from '../dialect.ts';
import type { Span } from '../span.ts';
import { usageOf } from '../usage.ts';
import { resultOf } from './gen-ai.ts';

/** The telemetry of Vercel's AI SDK: `ai.generateText` and `ai.streamText` around model and tool calls. */
export const aiSdk: SpanDialect = {
  name: 'ai-sdk',
  kindOf,
  hasContent: ({ attributes }) => attributes.find(...PROMPT, TEXT, OBJECT, CALLS) !== undefined,
  input: ({ attributes }, problems) => inputMessages(attributes.find(...PROMPT), problems),

  output({ attributes }, problems): readonly Message[] {
    const text = attributes.find(TEXT, OBJECT);
    const calls = attributes.find(CALLS);
    const called = calls && chatMessages(calls, problems)?.find((message) => message.role === 'agent');
    const content =
      typeof text?.value === 'string' && text.value !== '' ? { text: text.value, pointer: text.pointer } : null;
    const pointer = text?.pointer ?? calls?.pointer;
    if (pointer === undefined) return [];
    const reasoning = attributes.text('ai.response.reasoning');
    return [{ role: 'agent', pointer, content, reasoning, calls: called?.calls ?? [] }];
  },

  raw: ({ attributes }) => ({ input: attributes.find(...PROMPT), output: attributes.find(TEXT, OBJECT) }),

  details: ({ attributes }) => ({
    model: attributes.text('ai.response.model', 'gen_ai.response.model', 'ai.model.id'),
    finishReason: attributes.text('ai.response.finishReason', 'ai.finishReason'),
    usage: usageOf(attributes, USAGE),
  }),

  execution: ({ attributes, name, error }) => ({
    call: attributes.text('ai.toolCall.id'),
    name: attributes.text('ai.toolCall.name') ?? name,
    arguments: argumentsOf(attributes.get('ai.toolCall.args', 'ai.toolCall.input')),
    ...resultOf(parseResult(attributes.find('ai.toolCall.result', 'ai.toolCall.output'))),
    error,
  }),

  retrieval: () => ({ documents: [] }),
  tools: ({ attributes }) => toolCatalogue(attributes.get('ai.prompt.tools')),
  agentName: ({ attributes }) => attributes.text('ai.telemetry.functionId', 'resource.name'),
};

/** Of a model call, and of the function around several. */
const PROMPT = ['ai.prompt.messages', 'ai.prompt'] as const;
const TEXT = 'ai.response.text';
const OBJECT = 'ai.response.object';
const CALLS = 'ai.response.toolCalls';

const USAGE = {
  input: ['ai.usage.promptTokens', 'ai.usage.inputTokens', 'gen_ai.usage.input_tokens'],
  output: ['ai.usage.completionTokens', 'ai.usage.outputTokens', 'gen_ai.usage.output_tokens'],
  cached: ['ai.usage.cachedInputTokens', 'ai.usage.inputTokenDetails.cacheReadTokens'],
  reasoning: ['ai.usage.reasoningTokens', 'ai.usage.outputTokenDetails.reasoningTokens'],
} as const;

function kindOf({ attributes, name }: Span): SpanKind | null | undefined {
  const operation = attributes.text('ai.operationId') ?? (name.startsWith('ai.') ? name : '');
  if (!operation.startsWith('ai.')) return undefined;
  if (operation === 'ai.toolCall') return 'tool';
  if (/^ai\.(?:generate|stream)(?:Text|Object)\.do(?:Generate|Stream)$/.test(operation)) return 'model';
  return /^ai\.(?:generate|stream)(?:Text|Object)$/.test(operation) ? 'chain' : null;
}

/** Results are written as JSON, including texts. */
function parseResult(result: Parameters<typeof resultOf>[0]): Parameters<typeof resultOf>[0] {
  return result && { value: parseQuotedJson(result.value), pointer: result.pointer };
}
