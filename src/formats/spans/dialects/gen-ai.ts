import { get, getArray, getNumber, getString } from '../../../core/json.ts';
import type { Tool } from '../../../core/session.ts';
import type { ExecutionMessage } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { jsonText } from '../../values.ts';
import type { Attribute, Attributes } from '../attributes.ts';
import { toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanExecution, SpanKind, SpanRetrieval } from '../dialect.ts';
import { parseExecutedArguments } from '../python-literal.ts';
import type { Span } from '../span.ts';
import { usageOf } from '../usage.ts';
import { genAiInput, genAiOutput, genAiText, hasGenAiContent, hasMessageEvents, rawGenAi } from './gen-ai-messages.ts';

/** OpenTelemetry's GenAI conventions in all their versions, and OpenLLMetry, their origin. */
export const genAi: SpanDialect = {
  name: 'gen-ai',
  kindOf,
  hasContent: hasGenAiContent,
  input: genAiInput,
  output: genAiOutput,
  raw: rawGenAi,

  details: ({ attributes }) => ({
    model: attributes.text('gen_ai.response.model', 'gen_ai.request.model'),
    finishReason: finishReasonOf(attributes),
    usage: usageOf(attributes, USAGE),
  }),

  execution,
  retrieval,
  tools: toolsOf,
  agentName: ({ attributes }) => attributes.text('gen_ai.agent.name', 'agent_name', 'traceloop.entity.name'),
};

const OPERATIONS: ReadonlyMap<string, SpanKind | null> = new Map<string, SpanKind | null>([
  ['chat', 'model'],
  ['generate_content', 'model'],
  ['text_completion', 'model'],
  ['completion', 'model'],
  ['response', 'model'],
  ['responses', 'model'],
  ['call_llm', 'model'],
  ['execute_tool', 'tool'],
  ['retrieval', 'retrieval'],
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'chain'],
  ['create_agent', null],
  ['embeddings', null],
  ['rerank', null],
]);

const ENTITIES: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['tool', 'tool'],
  ['agent', 'agent'],
  ['workflow', 'chain'],
  ['task', 'chain'],
]);

function kindOf(span: Span): SpanKind | null {
  const { attributes } = span;
  const operation = OPERATIONS.get(attributes.text('gen_ai.operation.name')?.toLowerCase() ?? '');
  if (operation !== undefined) return operation;
  if (attributes.find('gen_ai.tool.name', 'gen_ai.tool.call.id')) return 'tool';
  const entity = ENTITIES.get(attributes.text('traceloop.span.kind') ?? '');
  if (entity) return entity;
  const request = attributes.text('llm.request.type');
  if (request) return request === 'chat' || request === 'completion' ? 'model' : null;
  if (attributes.find('pydantic_ai.all_messages', 'all_messages_events')) return 'agent';
  const called = attributes.find(
    'gen_ai.request.model',
    'gen_ai.response.model',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
  );
  const flat = attributes.hasAny('gen_ai.prompt') || attributes.hasAny('gen_ai.completion');
  return called || flat || hasMessageEvents(span) ? 'model' : null;
}

const USAGE = {
  input: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
  output: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
  cached: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'gen_ai.usage.details.cache_read_tokens',
  ],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.details.reasoning_tokens',
    'llm.usage.reasoning_tokens',
  ],
} as const;

function finishReasonOf(attributes: Attributes): string | undefined {
  const reasons = parseQuotedJson(attributes.get('gen_ai.response.finish_reasons'));
  const [first] = Array.isArray(reasons) ? reasons : [reasons];
  return typeof first === 'string' && first !== '' ? first : attributes.text('gen_ai.completion.0.finish_reason');
}

const ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.arguments',
  'gen_ai.tool.args',
  'tool_arguments',
  'traceloop.entity.input',
  'input.value',
  'langfuse.observation.input',
] as const;
const RESULT = [
  'gen_ai.tool.call.result',
  'gen_ai.tool.result',
  'gen_ai.tool.output',
  'tool_response',
  'gen_ai.output',
  'traceloop.entity.output',
  'output.value',
  'langfuse.observation.output',
] as const;

function execution(span: Span): SpanExecution {
  const { attributes, events, name, error } = span;
  const run = events.find((event) => event.name === 'gen_ai.tool.message');
  const args = attributes.find(...ARGUMENTS) ?? run?.attributes.find('content');
  const choice = events.find((event) => event.name === 'gen_ai.choice')?.attributes.find('message');
  const result =
    attributes.find(...RESULT) ?? (choice && { ...choice, value: genAiText(choice.value) ?? choice.value });
  return {
    call: attributes.text('gen_ai.tool.call.id') ?? run?.attributes.text('id'),
    name: attributes.text('gen_ai.tool.name', 'traceloop.entity.name') ?? name.replace(/^execute_tool |\.tool$/g, ''),
    arguments: parseExecutedArguments(unwrapped(args?.value)),
    ...resultOf(result),
    error,
  };
}

/** Frameworks record the function call with the arguments inside: `{"inputs": {…}}`, `{"kwargs": {…}}`. */
function unwrapped(value: unknown): unknown {
  const inner = parseQuotedJson(value);
  for (const key of ['inputs', 'kwargs', 'input_str'] as const) {
    const value = get(inner, key);
    if (value !== undefined && value !== null && jsonText(value) !== '{}') return parseQuotedJson(value);
  }
  return value;
}

/** The recorded result of a tool. */
export function resultOf(result: Attribute | undefined): Pick<ExecutionMessage, 'value' | 'valuePointer'> {
  return result ? { value: result.value, valuePointer: result.pointer } : {};
}

function retrieval({ attributes }: Span): SpanRetrieval {
  const list = parseQuotedJson(attributes.get('gen_ai.retrieval.documents'));
  return {
    query: attributes.text('gen_ai.retrieval.query.text', 'gen_ai.retrieval.query', 'traceloop.entity.input'),
    documents: (Array.isArray(list) ? list : []).map((document) => ({
      id: getString(document, 'id'),
      text: getString(document, 'content') ?? getString(document, 'text') ?? jsonText(document),
      score: getNumber(document, 'score'),
    })),
  };
}

/** Strands lists only the names of tools. */
function toolsFromNames(value: unknown): unknown {
  const list = parseQuotedJson(value);
  return Array.isArray(list) ? list.map((name) => (typeof name === 'string' ? { name } : name)) : undefined;
}

function toolsOf({ attributes }: Span): readonly Tool[] | undefined {
  const listed =
    toolCatalogue(attributes.get('gen_ai.tool.definitions', 'gen_ai.request.tools', 'tools')) ??
    toolCatalogue(toolsFromNames(attributes.get('gen_ai.agent.tools'))) ??
    toolCatalogue(getArray(parseQuotedJson(attributes.get('request_data')), 'tools'));
  if (listed) return listed;
  const functions = attributes.records('llm.request.functions').map((record) => ({
    name: record.get('name'),
    description: record.get('description'),
    parameters: parseQuotedJson(record.get('parameters', 'input_schema')),
  }));
  return toolCatalogue(functions);
}
