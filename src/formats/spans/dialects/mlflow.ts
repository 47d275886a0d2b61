import { get, getNumber, getString } from '../../../core/json.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { firstPresent, jsonText, openAiUsage } from '../../values.ts';
import type { Attribute } from '../attributes.ts';
import { inputMessages, outputMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanKind, SpanRetrieval } from '../dialect.ts';
import { parseExecutedArguments } from '../python-literal.ts';
import type { Span } from '../span.ts';
import { resultOf } from './gen-ai.ts';

/** MLflow Tracing: inputs and outputs of functions, each attribute as JSON. */
export const mlflow: SpanDialect = {
  name: 'mlflow',

  kindOf({ attributes }) {
    const type = textOf(attributes.find(TYPE));
    return type === undefined ? undefined : (KINDS.get(type.toUpperCase()) ?? null);
  },

  hasContent: ({ attributes }) => attributes.find(INPUTS, OUTPUTS, MESSAGES) !== undefined,
  input: ({ attributes }, problems) => inputMessages(attributes.find(INPUTS, MESSAGES), problems),
  output: ({ attributes }, problems) => outputMessages(attributes.find(OUTPUTS), problems),

  raw: ({ attributes }) => ({ input: attributes.find(INPUTS), output: attributes.find(OUTPUTS) }),

  details: ({ attributes }) => ({
    model:
      textOf(attributes.find('mlflow.llm.model', 'mlflow.chat.model', 'gen_ai.response.model')) ??
      modelOf(attributes.find(OUTPUTS)),
    usage: openAiUsage(parseQuotedJson(attributes.get('mlflow.chat.tokenUsage'))),
  }),

  execution({ attributes, name, error }) {
    const output = attributes.find(OUTPUTS);
    const value = parseQuotedJson(output?.value);
    // LangChain's message about a result, serialized.
    const call = getString(value, 'tool_call_id');
    const result = call === undefined ? value : get(value, 'content');
    return {
      call,
      name: textOf(attributes.find('mlflow.spanFunctionName')) ?? name,
      arguments: parseExecutedArguments(argumentsIn(parseQuotedJson(attributes.get(INPUTS)))),
      ...resultOf(output && { value: result, pointer: output.pointer }),
      error,
      ...(call !== undefined && getString(value, 'status') === 'error' && { outcome: 'error' as const }),
    };
  },

  retrieval,
  tools: ({ attributes }) =>
    toolCatalogue(attributes.get('mlflow.chat.tools')) ?? toolCatalogue(parseQuotedJson(attributes.get(INPUTS))),
  agentName: () => undefined,
};

const TYPE = 'mlflow.spanType';
const INPUTS = 'mlflow.spanInputs';
const OUTPUTS = 'mlflow.spanOutputs';
const MESSAGES = 'mlflow.chat.messages';

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['LLM', 'model'],
  ['CHAT_MODEL', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['AGENT', 'agent'],
  ['CHAIN', 'chain'],
  ['WORKFLOW', 'chain'],
  ['TASK', 'chain'],
  ['UNKNOWN', 'chain'],
]);

function textOf(attribute: Attribute | undefined): string | undefined {
  const value = parseQuotedJson(attribute?.value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function modelOf(output: Attribute | undefined): string | undefined {
  return getString(parseQuotedJson(output?.value), 'model');
}

/** LangChain's tools are recorded with a single argument, which is the text of all arguments. */
function argumentsIn(inputs: unknown): unknown {
  const only = get(inputs, 'input');
  return only !== undefined && Object.keys(Object(inputs)).length === 1 ? parseQuotedJson(only) : inputs;
}

function retrieval({ attributes }: Span): SpanRetrieval {
  const inputs = parseQuotedJson(attributes.get(INPUTS));
  const outputs = parseQuotedJson(attributes.get(OUTPUTS));
  const query = typeof inputs === 'string' ? inputs : firstPresent(inputs, 'query', 'question', 'input');
  return {
    query: typeof query === 'string' ? query : undefined,
    documents: (Array.isArray(outputs) ? outputs : []).map((document) => ({
      id: getString(document, 'id') ?? getString(get(document, 'metadata'), 'doc_uri'),
      text: getString(document, 'page_content') ?? getString(document, 'text') ?? jsonText(document),
      score: getNumber(document, 'score') ?? getNumber(get(document, 'metadata'), 'score'),
    })),
  };
}
