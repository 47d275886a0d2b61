import { get, getArray, getNumber, getObject, getString, isObject } from '../../../core/json.ts';
import type { Pointer, TokenUsage } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf } from '../../values.ts';
import { extractUserText, isUserRejection } from './claude-harness.ts';
import {
  type AgentMessage,
  joinTexts,
  type LocatedText,
  type Message,
  type RequestedCall,
  type ResultMessage,
} from './conversation.ts';

/** The dialect of Anthropic's Messages API, which Claude Code and the Claude Agent SDK use as well. */

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);

/** Results of the provider's own tools: `web_search_tool_result`, `mcp_tool_result`, … */
const SERVER_RESULT_TYPE = /^\w+_tool_result$/;
const CALL_TYPE = /^(?:tool_use|server_tool_use|mcp_tool_use)$/;
const OTHER_BLOCKS: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_result',
  'image',
  'document',
  'search_result',
  'container_upload',
]);

/** Keys of messages in other dialects only. */
const FOREIGN_KEYS = ['parts', 'tool_calls', 'additional_kwargs', 'response_metadata', 'kwargs', 'toolInvocations'];

/** Whether a list is in this dialect: all messages consist of its blocks, and one block is unique to it. */
export function isAnthropic(messages: readonly unknown[]): boolean {
  return messages.some(isDistinctive) && mostly(messages, isMessage) && !messages.some(isForeign);
}

function isMessage(message: unknown): boolean {
  if (!ROLES.has(get(message, 'role')) || isForeign(message)) return false;
  const content = get(message, 'content');
  return typeof content === 'string' || (Array.isArray(content) && sample(content, 20).every(isBlock));
}

function isForeign(message: unknown): boolean {
  if (FOREIGN_KEYS.some((key) => (get(message, key) ?? null) !== null)) return true;
  const content = get(message, 'content');
  return Array.isArray(content) && sample(content, 20).some((block) => isObject(block) && !isBlock(block));
}

function isBlock(block: unknown): boolean {
  const type = get(block, 'type');
  return (
    OTHER_BLOCKS.has(type) || (typeof type === 'string' && (CALL_TYPE.test(type) || SERVER_RESULT_TYPE.test(type)))
  );
}

function isDistinctive(message: unknown): boolean {
  if (!isMessage(message)) return false;
  if (get(message, 'type') === 'message' && get(message, 'stop_reason') !== undefined) return true;
  return sample(getArray(message, 'content') ?? [], 20).some(isDistinctiveBlock);
}

function isDistinctiveBlock(block: unknown): boolean {
  const type = getString(block, 'type') ?? '';
  switch (type) {
    case 'text':
      return false;
    case 'thinking':
      return typeof get(block, 'thinking') === 'string';
    case 'image':
    case 'document':
      return getObject(block, 'source') !== undefined;
    default:
      return isBlock(block);
  }
}

/** The messages of a list in this dialect; `pointer` is that of the list. */
export function* anthropicMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message !== undefined) yield* anthropicMessage(message, `${pointer}/${index}`, problems);
  }
}

/** Reads one message. Skips anything else with a warning. */
function* anthropicMessage(message: unknown, pointer: Pointer, problems: Problems): Generator<Message, void> {
  const role = get(message, 'role');
  if (!ROLES.has(role)) {
    const roles = [...ROLES].join(', ');
    problems.warn('not-a-message', pointer, `Entry skipped: expected a message with one of the roles ${roles}.`);
    return;
  }
  const parts = anthropicParts(get(message, 'content'), `${pointer}/content`, problems);
  const text = joinTexts(parts.texts, `${pointer}/content`);
  if (role === 'assistant') {
    yield agentMessage(message, pointer, parts, text);
    yield* parts.results;
    return;
  }
  yield* parts.results;
  if (role === 'system') {
    if (text) yield { role, pointer, content: text };
    return;
  }
  const userTexts = parts.texts.flatMap((text) => extractUserText(text) ?? []);
  // A message that contains only results or texts of the harness is a user message by its role only.
  if (userTexts.length === 0 && (parts.results.length > 0 || parts.texts.length > 0)) return;
  yield { role: 'user', pointer, content: joinTexts(userTexts, `${pointer}/content`) };
}

function agentMessage(
  message: unknown,
  pointer: Pointer,
  parts: AnthropicParts,
  content: LocatedText | null,
): AgentMessage {
  return {
    role: 'agent',
    pointer,
    content,
    reasoning: parts.thoughts.join('\n') || undefined,
    calls: parts.calls,
    model: getString(message, 'model'),
    finishReason: getString(message, 'stop_reason'),
    usage: anthropicUsage(get(message, 'usage')),
  };
}

/** The parsed content of a message. */
interface AnthropicParts {
  readonly texts: readonly LocatedText[];
  readonly thoughts: readonly string[];
  readonly calls: readonly RequestedCall[];
  readonly results: readonly ResultMessage[];
}

/** Parses the content of a message, a text or a list of blocks; skips blocks of unknown types. */
export function anthropicParts(content: unknown, pointer: Pointer, problems: Problems): AnthropicParts {
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls: RequestedCall[] = [];
  const results: ResultMessage[] = [];
  if (typeof content === 'string') texts.push({ text: content, pointer });
  for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
    const itemPointer = `${pointer}/${index}`;
    const type = typeof block === 'string' ? 'text' : (getString(block, 'type') ?? '');
    if (type === 'text') {
      const text = typeof block === 'string' ? block : getString(block, 'text');
      if (text !== undefined)
        texts.push({ text, pointer: typeof block === 'string' ? itemPointer : `${itemPointer}/text` });
    } else if (type === 'thinking') {
      const thought = getString(block, 'thinking');
      if (thought) thoughts.push(thought);
    } else if (CALL_TYPE.test(type)) {
      const name = getString(block, 'name');
      const id = getString(block, 'id');
      if (name) calls.push({ pointer: itemPointer, id, name, arguments: argumentsOf(get(block, 'input')) });
      else problems.warn('call-without-name', itemPointer, 'Tool call skipped: it has no tool name.');
    } else if (type === 'tool_result' || SERVER_RESULT_TYPE.test(type)) {
      results.push(resultMessage(block, itemPointer));
    }
  }
  return { texts, thoughts, calls, results };
}

function resultMessage(block: unknown, pointer: Pointer): ResultMessage {
  const content = get(block, 'content') ?? undefined;
  const text = plainTextIn(content, `${pointer}/content`);
  return {
    role: 'result',
    pointer,
    call: getString(block, 'tool_use_id'),
    value: text?.text ?? content,
    valuePointer: text?.pointer ?? (content === undefined ? pointer : `${pointer}/content`),
    outcome: outcomeOf(block, text?.text),
  };
}

/** Instructions next to messages: a text, or text blocks. */
export function instructionsOf(system: unknown): string | undefined {
  return plainTextIn(system, '')?.text;
}

/** Content that consists of text only: a string, or text blocks. */
function plainTextIn(content: unknown, pointer: Pointer): LocatedText | null {
  if (typeof content === 'string') return { text: content, pointer };
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((block, index): LocatedText[] => {
    const text = get(block, 'type') === 'text' ? getString(block, 'text') : undefined;
    return text === undefined ? [] : [{ text, pointer: `${pointer}/${index}/text` }];
  });
  return texts.length === content.length ? joinTexts(texts, pointer) : null;
}

/**
 * The outcome by the result's flag; undefined without one. The harness also flags its own errors and rejections by the
 * user.
 */
function outcomeOf(block: unknown, text: string | undefined): ResultMessage['outcome'] {
  const flag = get(block, 'is_error');
  if (flag === true) return text !== undefined && isUserRejection(text) ? 'rejected' : 'error';
  if (text?.startsWith('<tool_use_error>')) return isUserRejection(text) ? 'rejected' : 'error';
  const content = getObject(block, 'content');
  if (getString(content, 'type')?.endsWith('_error')) return 'error';
  if ((getNumber(content, 'return_code') ?? 0) !== 0) return 'error';
  return flag === false ? 'ok' : undefined;
}

/** Token counts of Anthropic's API. Tokens read from and written to the cache are not part of its input tokens. */
export function anthropicUsage(value: unknown): TokenUsage | undefined {
  const input = getNumber(value, 'input_tokens');
  const output = getNumber(value, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const cached = getNumber(value, 'cache_read_input_tokens');
  const cacheWrite = getNumber(value, 'cache_creation_input_tokens');
  const reasoning = getNumber(getObject(value, 'output_tokens_details'), 'thinking_tokens');
  return {
    inputTokens: (input ?? 0) + (cached ?? 0) + (cacheWrite ?? 0),
    outputTokens: Math.max(0, (output ?? 0) - (reasoning ?? 0)),
    cachedTokens: cached,
    reasoningTokens: reasoning,
  };
}
