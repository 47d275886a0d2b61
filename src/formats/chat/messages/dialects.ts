import { get, getArray, getObject, getString, isObject, parseJson } from '../../../core/json.ts';
import { childPointer } from '../../../core/pointer.ts';
import type { Pointer, Tool } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { sample } from '../../records.ts';
import { toolsOf } from '../../tools.ts';
import { firstPresent } from '../../values.ts';
import { ag2Messages, isAg2 } from './ag2.ts';
import { aiSdkMessages, isAiSdk } from './ai-sdk.ts';
import { anthropicMessages, isAnthropic } from './anthropic.ts';
import { autoGenMessages, isAutoGen } from './autogen.ts';
import { bedrockMessages, isBedrock } from './bedrock.ts';
import { callListMessages, isCallList } from './call-list.ts';
import type { LocatedText, Message } from './conversation.ts';
import { geminiMessages, isGemini } from './gemini.ts';
import { isLangChain, langChainMessages } from './langchain.ts';
import { isMagenticOne, magenticOneMessages } from './magentic-one.ts';
import { isOpenAi, openAiMessages } from './openai.ts';
import { isResponses, responsesMessages } from './openai-responses.ts';
import { isOtelParts, otelMessages } from './otel-parts.ts';
import { relocate } from './relocate.ts';
import { isShareGpt, shareGptMessages } from './sharegpt.ts';

/** A dialect in which chat messages are written. */
export interface ChatDialect {
  readonly name: string;
  /** Whether a list is of this dialect, and of no other. Gets the first messages of it, holes left out. */
  readonly fits: (messages: readonly unknown[]) => boolean;
  /** The messages of a list; holes (`undefined`) are passed over. `pointer` is that of the list. */
  readonly read: (messages: readonly unknown[], pointer: Pointer, problems: Problems) => Iterable<Message>;
}

/** Every chat dialect, one row each, in the order in which they are tried: what is most particular first. */
const CHAT_DIALECTS: readonly ChatDialect[] = [
  { name: 'langchain', fits: isLangChain, read: langChainMessages },
  { name: 'otel-parts', fits: isOtelParts, read: otelMessages },
  { name: 'anthropic', fits: isAnthropic, read: anthropicMessages },
  { name: 'openai-responses', fits: isResponses, read: responsesMessages },
  { name: 'ai-sdk', fits: isAiSdk, read: aiSdkMessages },
  { name: 'bedrock-converse', fits: isBedrock, read: bedrockMessages },
  { name: 'gemini-contents', fits: isGemini, read: geminiMessages },
  { name: 'autogen', fits: isAutoGen, read: autoGenMessages },
  { name: 'sharegpt', fits: isShareGpt, read: shareGptMessages },
  { name: 'magentic-one', fits: isMagenticOne, read: magenticOneMessages },
  { name: 'ag2', fits: isAg2, read: ag2Messages },
  { name: 'openai-chat', fits: isOpenAi, read: openAiMessages },
  { name: 'call-list', fits: isCallList, read: callListMessages },
];

/** The dialect of a list, by the content of its first entries; null when they are no messages. */
export function detectDialect(messages: readonly unknown[]): ChatDialect | null {
  const first = sample(messages);
  return CHAT_DIALECTS.find(({ fits }) => fits(first)) ?? null;
}

/** Chat messages that were found in a value. */
export interface ParsedChat {
  readonly dialect: string;
  /** The instructions that stand beside the list come first. */
  readonly messages: readonly Message[];
  /** The catalogue that stands beside the list or in it; undefined when there is none. */
  readonly tools: readonly Tool[] | undefined;
}

/**
 * The chat messages in a value of unknown shape: a list of them, one alone, what is around them in requests, responses
 * and states, and JSON of all that in a string. Null when there is none.
 *
 * A pointer leads to what it stands for, or to the string that contains it.
 */
export function parseChat(value: unknown, pointer: Pointer, problems: Problems): ParsedChat | null {
  const found = findMessageList(value, 0);
  if (!found) return null;
  const { dialect, list, definitions, body } = found;
  const place = (inner: Pointer) => pointer + found.place(inner);
  const messages: Message[] = [];
  const instructions = body && findInstructions(body.value);
  if (instructions) {
    const at = pointer + body.place(instructions.pointer);
    messages.push({ role: 'system', pointer: at, content: { text: instructions.text, pointer: at } });
  }
  for (const message of dialect.read(list, '', problems.relocate(place))) messages.push(relocate(message, place));
  const given = firstPresent(body?.value, 'tools', 'functions') ?? firstPresent(get(body?.value, 'config'), 'tools');
  return { dialect: dialect.name, messages, tools: toolsOf(definitions ?? given) };
}

/** The value of JSON in a string, which some exporters write twice; every other value as it is. */
export function parseQuotedJson(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; depth < 3 && typeof inner === 'string' && /^\s*["{[]/.test(inner); depth += 1) {
    const parsed = parseJson(inner);
    if (parsed === undefined) break;
    inner = parsed;
  }
  return inner;
}

/** Where messages stand in what is sent to a model and comes back, and in the state of an agent. */
const MESSAGE_KEYS = [
  'messages',
  'conversation',
  'history',
  'traj',
  'contents',
  'choices',
  'generations',
  'candidates',
  'message',
  'new_message',
  'input',
  'output',
  'prompt',
  'content',
  'kwargs',
] as const;

/** A response has one of these for each answer that was asked for; the first is the one that counts. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['choices', 'generations', 'candidates']);

const DEEPEST = 5;

interface MessageListMatch {
  readonly dialect: ChatDialect;
  readonly list: readonly unknown[];
  /** Definitions of tools that stood among the messages, which are holes now. */
  readonly definitions?: readonly unknown[];
  /** From a pointer into the list to one into the value. */
  readonly place: (inner: Pointer) => Pointer;
  /** The object that the list stands in. */
  readonly body?: { readonly value: unknown; readonly place: (inner: Pointer) => Pointer };
}

function findMessageList(value: unknown, depth: number): MessageListMatch | null {
  if (depth > DEEPEST) return null;
  if (typeof value === 'string') {
    const inner = parseQuotedJson(value);
    const found = typeof inner === 'string' ? null : findMessageList(inner, depth + 1);
    return found && withLocation(found, () => '');
  }
  if (Array.isArray(value)) {
    const definitions = value.filter(isToolDefinition).map((entry) => get(entry, 'content'));
    const list = definitions.length > 0 ? value.map((entry) => (isToolDefinition(entry) ? undefined : entry)) : value;
    const dialect = detectDialect(list);
    if (dialect) {
      return { dialect, list, ...(definitions.length > 0 && { definitions }), place: (inner) => inner };
    }
    return value.length === 1 ? findInside(value[0], '/0', depth) : null;
  }
  if (!isObject(value)) return null;
  const dialect = detectDialect([value]);
  if (dialect) return { dialect, list: [value], place: (inner) => inner.slice('/0'.length) };
  for (const key of MESSAGE_KEYS) {
    const inner = get(value, key);
    const first = ALTERNATIVES.has(key) && Array.isArray(inner);
    const found = first ? findInside(inner[0], `/${key}/0`, depth) : findInside(inner, `/${key}`, depth);
    if (found) return { ...found, body: found.body ?? { value, place: (place) => place } };
  }
  return null;
}

function findInside(value: unknown, pointer: Pointer, depth: number): MessageListMatch | null {
  const found = findMessageList(value, depth + 1);
  return found && withLocation(found, (inner) => pointer + inner);
}

function withLocation(found: MessageListMatch, place: (inner: Pointer) => Pointer): MessageListMatch {
  const { body } = found;
  return {
    ...found,
    place: (inner) => place(found.place(inner)),
    ...(body && { body: { value: body.value, place: (inner: Pointer) => place(body.place(inner)) } }),
  };
}

/** Langfuse's handler for LangChain writes the tools behind the messages, as if they were some. */
function isToolDefinition(entry: unknown): boolean {
  const definition = get(entry, 'role') === 'tool' ? getObject(entry, 'content') : undefined;
  return getString(definition, 'type') === 'function' && getString(get(definition, 'function'), 'name') !== undefined;
}

/** Instructions that are sent beside the messages, with a pointer into the body. */
function findInstructions(body: unknown): LocatedText | undefined {
  const keys = ['system', 'instructions', 'system_instruction', 'systemInstruction'] as const;
  for (const [value, place] of [
    [body, ''],
    [get(body, 'config'), '/config'],
  ] as const) {
    for (const key of keys) {
      const text = textContent(get(value, key));
      if (text) return { text, pointer: childPointer(place, key) };
    }
  }
  return undefined;
}

/** A text, or the texts of blocks and parts. */
function textContent(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const parts = Array.isArray(value) ? value : getArray(value, 'parts');
  return parts?.flatMap((part) => getString(part, 'text') ?? []).join('\n');
}
