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

/** A dialect of chat messages. */
export interface ChatDialect {
  readonly name: string;
  /** Whether a list is in this dialect and in no other. Receives the first messages, without holes. */
  readonly fits: (messages: readonly unknown[]) => boolean;
  /** The messages of a list; holes (`undefined`) are skipped. `pointer` is that of the list. */
  readonly read: (messages: readonly unknown[], pointer: Pointer, problems: Problems) => Iterable<Message>;
}

/** All chat dialects, in the order in which they are tried: the most specific first. */
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

/** Detects the dialect of a list by its first entries; null if they are not messages. */
export function detectDialect(messages: readonly unknown[]): ChatDialect | null {
  const first = sample(messages);
  return CHAT_DIALECTS.find(({ fits }) => fits(first)) ?? null;
}

/** Chat messages found in a value. */
export interface ParsedChat {
  readonly dialect: string;
  /** Instructions next to the list come first. */
  readonly messages: readonly Message[];
  /** The catalogue next to the list or in it; undefined if there is none. */
  readonly tools: readonly Tool[] | undefined;
}

/**
 * Finds the chat messages in a value of unknown shape: a list of messages, a single one, requests, responses and
 * states that contain them, and JSON of any of these in a string.
 *
 * A pointer leads to the value itself, or to the string that contains it.
 *
 * @returns null if there are none
 */
export function parseChat(value: unknown, pointer: Pointer, problems: Problems): ParsedChat | null {
  const match = findMessageList(value, 0);
  if (!match) return null;
  const { dialect, list, definitions, body } = match;
  const relocatePointer = (inner: Pointer) => pointer + match.relocatePointer(inner);
  const messages: Message[] = [];
  const instructions = body && findInstructions(body.value);
  if (instructions) {
    const at = pointer + body.relocatePointer(instructions.pointer);
    messages.push({ role: 'system', pointer: at, content: { text: instructions.text, pointer: at } });
  }
  for (const message of dialect.read(list, '', problems.relocate(relocatePointer)))
    messages.push(relocate(message, relocatePointer));
  const tools = firstPresent(body?.value, 'tools', 'functions') ?? firstPresent(get(body?.value, 'config'), 'tools');
  return { dialect: dialect.name, messages, tools: toolsOf(definitions ?? tools) };
}

/** Parses JSON in a string, which some exporters write twice; returns any other value as it is. */
export function parseQuotedJson(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; depth < 3 && typeof inner === 'string' && /^\s*["{[]/.test(inner); depth += 1) {
    const parsed = parseJson(inner);
    if (parsed === undefined) break;
    inner = parsed;
  }
  return inner;
}

/** Keys of messages in requests, responses and states of agents. */
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

/** A response has one entry for each requested alternative. The first one counts. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['choices', 'generations', 'candidates']);

const MAX_DEPTH = 5;

interface MessageListMatch {
  readonly dialect: ChatDialect;
  readonly list: readonly unknown[];
  /** Tool definitions among the messages, which became holes. */
  readonly definitions?: readonly unknown[];
  /** Converts a pointer into the list to one into the value. */
  readonly relocatePointer: (inner: Pointer) => Pointer;
  /** The object that contains the list. */
  readonly body?: { readonly value: unknown; readonly relocatePointer: (inner: Pointer) => Pointer };
}

function findMessageList(value: unknown, depth: number): MessageListMatch | null {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === 'string') {
    const inner = parseQuotedJson(value);
    const match = typeof inner === 'string' ? null : findMessageList(inner, depth + 1);
    return match && withLocation(match, () => '');
  }
  if (Array.isArray(value)) {
    const definitions = value.filter(isToolDefinition).map((entry) => get(entry, 'content'));
    const list = definitions.length > 0 ? value.map((entry) => (isToolDefinition(entry) ? undefined : entry)) : value;
    const dialect = detectDialect(list);
    if (dialect) {
      return { dialect, list, ...(definitions.length > 0 && { definitions }), relocatePointer: (inner) => inner };
    }
    return value.length === 1 ? findInside(value[0], '/0', depth) : null;
  }
  if (!isObject(value)) return null;
  const dialect = detectDialect([value]);
  if (dialect) return { dialect, list: [value], relocatePointer: (inner) => inner.slice('/0'.length) };
  for (const key of MESSAGE_KEYS) {
    const inner = get(value, key);
    const first = ALTERNATIVES.has(key) && Array.isArray(inner);
    const match = first ? findInside(inner[0], `/${key}/0`, depth) : findInside(inner, `/${key}`, depth);
    if (match) return { ...match, body: match.body ?? { value, relocatePointer: (pointer) => pointer } };
  }
  return null;
}

function findInside(value: unknown, pointer: Pointer, depth: number): MessageListMatch | null {
  const match = findMessageList(value, depth + 1);
  return match && withLocation(match, (inner) => pointer + inner);
}

function withLocation(match: MessageListMatch, relocatePointer: (inner: Pointer) => Pointer): MessageListMatch {
  const { body } = match;
  return {
    ...match,
    relocatePointer: (inner) => relocatePointer(match.relocatePointer(inner)),
    ...(body && {
      body: { value: body.value, relocatePointer: (inner: Pointer) => relocatePointer(body.relocatePointer(inner)) },
    }),
  };
}

/** Langfuse's handler for LangChain appends tools to the messages. */
function isToolDefinition(entry: unknown): boolean {
  const definition = get(entry, 'role') === 'tool' ? getObject(entry, 'content') : undefined;
  return getString(definition, 'type') === 'function' && getString(get(definition, 'function'), 'name') !== undefined;
}

/** Instructions next to the messages, with a pointer into the body. */
function findInstructions(body: unknown): LocatedText | undefined {
  const keys = ['system', 'instructions', 'system_instruction', 'systemInstruction'] as const;
  for (const [value, relocatePointer] of [
    [body, ''],
    [get(body, 'config'), '/config'],
  ] as const) {
    for (const key of keys) {
      const text = textContent(get(value, key));
      if (text) return { text, pointer: childPointer(relocatePointer, key) };
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
