import { get, getArray, getNumber, getString, isObject } from '../../../core/json.ts';
import type { TokenUsage, Tool } from '../../../core/session.ts';
import { parseChat, parseQuotedJson } from '../../chat/messages/dialects.ts';
import { Problems } from '../../problems.ts';
import { firstPresent } from '../../values.ts';
import type { Attribute } from '../attributes.ts';
import { inputMessages, outputMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanExecution, SpanKind } from '../dialect.ts';
import { parseExecutedArguments } from '../python-literal.ts';
import type { Span } from '../span.ts';
import { adk } from './adk.ts';
import { aiSdk } from './ai-sdk.ts';
import { genAi, resultOf } from './gen-ai.ts';
import { argumentsIn, documentsIn, toolMessage } from './langsmith.ts';
import { mlflow } from './mlflow.ts';
import { openInference } from './open-inference.ts';

/**
 * Langfuse's observations, as its SDKs write them into the attributes of spans. Most began as spans of another
 * instrumentation, whose attributes are read if Langfuse's own are missing.
 */
export const langfuse: SpanDialect = {
  name: 'langfuse',

  kindOf(span) {
    const type = span.attributes.text(TYPE);
    if (type === undefined) return undefined;
    const originalKind = originalDialect(span)?.kindOf(span);
    if (originalKind) return originalKind;
    const kind = KINDS.get(type.toUpperCase()) ?? null;
    return kind === 'chain' && isToolOfLangChain(span) ? 'tool' : kind;
  },

  hasContent(span) {
    return (
      isRecorded(span.attributes.get(INPUT)) ||
      isRecorded(span.attributes.get(OUTPUT)) ||
      !!originalDialect(span)?.hasContent(span)
    );
  },

  input(span, problems) {
    const input = span.attributes.find(INPUT);
    return isRecorded(input?.value)
      ? inputMessages(input, problems)
      : (originalDialect(span)?.input(span, problems) ?? []);
  },

  output(span, problems) {
    const output = span.attributes.find(OUTPUT);
    return isRecorded(output?.value)
      ? outputMessages(output, problems)
      : (originalDialect(span)?.output(span, problems) ?? []);
  },

  raw(span) {
    const input = span.attributes.find(INPUT);
    const output = span.attributes.find(OUTPUT);
    const first = originalDialect(span)?.raw?.(span);
    return {
      input: isRecorded(input?.value) ? input : first?.input,
      output: isRecorded(output?.value) ? output : first?.output,
    };
  },

  details(span) {
    const { attributes } = span;
    const first = originalDialect(span)?.details(span);
    return {
      ...first,
      model: attributes.text(MODEL) ?? first?.model,
      usage: withCost(usageOf(parseQuotedJson(attributes.get(USAGE))) ?? first?.usage, attributes.get(COST)),
    };
  },

  execution,

  retrieval(span) {
    const { attributes } = span;
    const input = parseQuotedJson(attributes.get(INPUT));
    const output = parseQuotedJson(attributes.get(OUTPUT));
    const query = typeof input === 'string' ? input : firstPresent(input, 'query', 'question', 'input');
    const documents = documentsIn(Array.isArray(output) ? output : firstPresent(output, 'documents', 'results'));
    if (documents.length === 0) return originalDialect(span)?.retrieval(span) ?? { documents };
    return { query: typeof query === 'string' ? query : undefined, documents };
  },

  tools(span) {
    const { attributes } = span;
    return (
      definitions(parseQuotedJson(attributes.get(DEFINITIONS))) ??
      toolCatalogue(get(parseQuotedJson(attributes.get(METADATA)), 'tools')) ??
      toolsBeside(attributes.find(INPUT)) ??
      toolsBeside(attributes.find(OUTPUT)) ??
      originalDialect(span)?.tools(span)
    );
  },

  agentName: (span) => originalDialect(span)?.agentName(span) ?? (span.name || undefined),
};

export const TYPE = 'langfuse.observation.type';
export const INPUT = 'langfuse.observation.input';
export const OUTPUT = 'langfuse.observation.output';
export const MODEL = 'langfuse.observation.model.name';
export const USAGE = 'langfuse.observation.usage_details';
export const COST = 'langfuse.observation.cost_details';
export const METADATA = 'langfuse.observation.metadata';
export const TRACE_TAGS = 'langfuse.trace.tags';
/** Exports only. */
export const DEFINITIONS = 'langfuse.observation.tool_definitions';

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['GENERATION', 'model'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['AGENT', 'agent'],
  ['CHAIN', 'chain'],
  ['SPAN', 'chain'],
]);

/** The instrumentations that send their spans to Langfuse. */
const ORIGINAL_DIALECTS: readonly SpanDialect[] = [adk, aiSdk, openInference, mlflow, genAi];

function originalDialect(span: Span): SpanDialect | undefined {
  return ORIGINAL_DIALECTS.find((dialect) => dialect.kindOf(span) !== undefined);
}

/** Langfuse writes empty objects and texts for missing content. */
function isRecorded(value: unknown): boolean {
  if (typeof value === 'string') return /[^\s{}[\]"]/.test(value.slice(0, 100));
  return isObject(value)
    ? Object.keys(value).length > 0
    : Array.isArray(value)
      ? value.length > 0
      : (value ?? null) !== null;
}

/** Older versions record LangChain's tools as plain spans that return a tool message. */
function isToolOfLangChain({ attributes, name }: Span): boolean {
  const output = attributes.get(OUTPUT);
  if (typeof output === 'string' && !output.includes('"tool_call_id"')) return false;
  const message = parseQuotedJson(output);
  return getString(message, 'tool_call_id') !== undefined && getString(message, 'name') === name;
}

function execution(span: Span, problems: Problems): SpanExecution {
  const { attributes, name, error } = span;
  const first = originalDialect(span)?.execution(span, problems);
  const input = attributes.get(INPUT);
  const output = attributes.find(OUTPUT);
  const message = output && toolMessage(output, problems);
  const own = message
    ? { value: message.value, valuePointer: message.valuePointer, outcome: message.outcome }
    : isRecorded(output?.value) && resultOf(output && messageAttribute(output));
  return {
    ...first,
    call: message?.call ?? first?.call,
    name: first?.name ?? name,
    arguments: isRecorded(input)
      ? parseExecutedArguments(argumentsIn(parseQuotedJson(input)))
      : (first?.arguments ?? {}),
    ...own,
    error: error ?? first?.error,
  };
}

/** MCP tools return a list of parts; this is their text. */
function messageAttribute({ value, pointer }: Attribute): Attribute {
  const content = getArray(parseQuotedJson(value), 'content');
  const texts = content?.flatMap((part) => (getString(part, 'type') === 'text' ? (getString(part, 'text') ?? []) : []));
  return texts?.length && texts.length === content?.length ? { value: texts.join('\n'), pointer } : { value, pointer };
}

function toolsBeside(attribute: Attribute | undefined): readonly Tool[] | undefined {
  // Problems are reported when the messages are read.
  return attribute && parseChat(attribute.value, '', new Problems(''))?.tools;
}

/** `{name: definition}`, each as JSON. */
function definitions(value: unknown): readonly Tool[] | undefined {
  if (!isObject(value)) return undefined;
  return toolCatalogue(Object.entries(value).map(([name, json]) => ({ name, ...Object(parseQuotedJson(json)) })));
}

/** Langfuse computes costs from its prices: a total, which is 0 for a model without a price, or `{total, input, …}`. */
function withCost(usage: TokenUsage | undefined, details: unknown): TokenUsage | undefined {
  const value = parseQuotedJson(details);
  const cost = typeof value === 'number' ? value : getNumber(value, 'total');
  return usage && cost !== undefined && cost > 0 ? { ...usage, cost } : usage;
}

/** Counts by kind of token. Kinds of input start with "input" and do not overlap. */
function usageOf(details: unknown): TokenUsage | undefined {
  if (!isObject(details)) return undefined;
  const sum = (pattern: RegExp) => {
    const counts = Object.keys(details)
      .filter((key) => pattern.test(key))
      .flatMap((key) => getNumber(details, key) ?? []);
    return counts.length > 0 ? counts.reduce((a, b) => a + b) : undefined;
  };
  const input = sum(/^input/);
  const output = sum(/^output(?!.*reasoning)/);
  if (input === undefined && output === undefined) return undefined;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedTokens: sum(/^input(?:(?!cache).)*cache.*read|^input_cached/),
    reasoningTokens: sum(/^output.*reasoning/),
  };
}
