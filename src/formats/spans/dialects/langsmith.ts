import { get, getArray, getId, getNumber, getString } from '../../../core/json.ts';
import { childPointer } from '../../../core/pointer.ts';
import type { LocatedText, ResultMessage } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { langChainUsage } from '../../chat/messages/langchain.ts';
import type { Problems } from '../../problems.ts';
import { firstPresent, jsonText, openAiUsage } from '../../values.ts';
import type { Attribute } from '../attributes.ts';
import { agentText, chatMessages, inputMessages, outputMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanExecution, SpanKind, SpanRetrieval } from '../dialect.ts';
import { parseExecutedArguments } from '../python-literal.ts';
import type { Span } from '../span.ts';
import { resultOf } from './gen-ai.ts';

/** LangSmith's runs: the inputs and outputs of functions, models and tools. */
export const langSmith: SpanDialect = {
  name: 'langsmith',

  kindOf({ attributes }) {
    const type = attributes.text(RUN_TYPE);
    return type === undefined ? undefined : (KINDS.get(type) ?? null);
  },

  hasContent: ({ attributes }) => attributes.find(INPUTS, OUTPUTS) !== undefined,

  input({ attributes }, problems) {
    const messages = inputMessages(attributes.find(INPUTS), problems);
    const prompt = messages.length > 0 ? undefined : textAt(attributes.find(INPUTS), 'prompts', '0');
    return prompt ? [{ role: 'user', pointer: prompt.pointer, content: prompt }] : messages;
  },

  output({ attributes }, problems) {
    const messages = outputMessages(attributes.find(OUTPUTS), problems);
    const text = messages.length > 0 ? undefined : textAt(attributes.find(OUTPUTS), 'generations', '0', '0', 'text');
    return text ? [agentText(text, text.pointer)] : messages;
  },

  raw: ({ attributes }) => ({ input: attributes.find(INPUTS), output: attributes.find(OUTPUTS) }),

  details({ attributes }) {
    const parameters = get(parseQuotedJson(attributes.get(EXTRA)), 'invocation_params');
    const metadata = get(parseQuotedJson(attributes.get(EXTRA)), 'metadata');
    const outputs = parseQuotedJson(attributes.get(OUTPUTS));
    const model =
      firstPresent(metadata, 'ls_model_name') ?? firstPresent(parameters, 'model', 'model_name', 'modelName');
    return {
      model: typeof model === 'string' ? model : undefined,
      finishReason: getString(getArray(outputs, 'choices')?.[0], 'finish_reason'),
      usage:
        langChainUsage(get(outputs, 'usage_metadata')) ??
        openAiUsage(firstPresent(get(outputs, 'llm_output'), 'token_usage', 'usage') ?? get(outputs, 'usage')) ??
        openAiUsage({ prompt_tokens: attributes.count(PROMPT), completion_tokens: attributes.count(COMPLETION) }),
    };
  },

  execution,
  retrieval,

  tools({ attributes }) {
    const parameters = get(parseQuotedJson(attributes.get(EXTRA)), 'invocation_params');
    return (
      toolCatalogue(firstPresent(parameters, 'tools', 'functions')) ??
      toolCatalogue(parseQuotedJson(attributes.get(INPUTS)))
    );
  },

  agentName: ({ name }) => name || undefined,
};

/** The fields of a run, under names that no instrumentation uses for attributes. */
export const RUN_TYPE = 'langsmith.run_type';
export const INPUTS = 'langsmith.inputs';
export const OUTPUTS = 'langsmith.outputs';
export const EXTRA = 'langsmith.extra';
export const PROMPT = 'langsmith.prompt_tokens';
export const COMPLETION = 'langsmith.completion_tokens';

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['llm', 'model'],
  ['tool', 'tool'],
  ['retriever', 'retrieval'],
  ['chain', 'chain'],
]);

/** Inputs and outputs of plain-text models, which are not messages. */
function textAt(attribute: Attribute | undefined, ...path: readonly string[]): LocatedText | undefined {
  if (!attribute) return undefined;
  let text = parseQuotedJson(attribute.value);
  for (const key of path) text = Array.isArray(text) ? text[Number(key)] : get(text, key);
  const pointer = typeof attribute.value === 'string' ? attribute.pointer : childPointer(attribute.pointer, ...path);
  return typeof text === 'string' ? { text, pointer } : undefined;
}

function execution({ attributes, name, error }: Span, problems: Problems): SpanExecution {
  const inputs = parseQuotedJson(attributes.get(INPUTS));
  const output = attributes.find(OUTPUTS);
  const message = output && toolMessage(output, problems);
  return {
    call: message?.call ?? (getString(inputs, 'type') === 'tool_call' ? getId(inputs, 'id') : undefined),
    name,
    arguments: parseExecutedArguments(argumentsIn(inputs)),
    ...(message
      ? { value: message.value, valuePointer: message.valuePointer, outcome: message.outcome }
      : resultOf(output && returned(output))),
    error,
  };
}

/** LangChain's message about a tool result, which the run of the tool may return itself. */
export function toolMessage(output: Attribute, problems: Problems): ResultMessage | undefined {
  const [only, ...others] = chatMessages(output, problems) ?? [];
  return only?.role === 'result' && others.length === 0 ? only : undefined;
}

/** The value under `output`, if it is the only one: a function's result that is not an object. */
function returned({ value, pointer }: Attribute): Attribute {
  const inner = parseQuotedJson(value);
  const output = get(inner, 'output');
  if (output === undefined || Object.keys(Object(inner)).length > 1) return { value, pointer };
  return { value: output, pointer: typeof value === 'string' ? pointer : `${pointer}/output` };
}

/**
 * LangChain's tools are recorded with their arguments as a text, with the call that requested them, or as they are
 * called.
 */
export function argumentsIn(inputs: unknown): unknown {
  if (getString(inputs, 'type') === 'tool_call') return get(inputs, 'args');
  const only = get(inputs, 'input');
  return only !== undefined && Object.keys(Object(inputs)).length === 1 ? only : inputs;
}

function retrieval({ attributes }: Span): SpanRetrieval {
  const inputs = parseQuotedJson(attributes.get(INPUTS));
  const outputs = parseQuotedJson(attributes.get(OUTPUTS));
  const query = typeof inputs === 'string' ? inputs : firstPresent(inputs, 'query', 'question', 'input');
  const list = Array.isArray(outputs) ? outputs : firstPresent(outputs, 'documents', 'output');
  return { query: typeof query === 'string' ? query : undefined, documents: documentsIn(list) };
}

/** LangChain's documents in any of its serializations, and those of others. */
export function documentsIn(list: unknown): SpanRetrieval['documents'] {
  return (Array.isArray(list) ? list : []).map((entry) => {
    const document = get(entry, 'kwargs') ?? entry;
    const metadata = get(document, 'metadata');
    const text = firstPresent(document, 'page_content', 'pageContent', 'text', 'content');
    return {
      id: getId(document, 'id') ?? getId(metadata, 'id'),
      text: typeof text === 'string' ? text : typeof document === 'string' ? document : jsonText(document),
      score: getNumber(document, 'score') ?? getNumber(metadata, 'score'),
    };
  });
}
