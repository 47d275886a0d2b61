import { get, getArray, getNumber, getObject, getString, isObject } from '../../../core/json.ts';
import type { Pointer, TokenUsage } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf } from '../../values.ts';
import { joinTexts, type LocatedText, type Message, type RequestedCall, type ResultMessage } from './conversation.ts';

/** The messages of Amazon Bedrock's Converse API, which Strands Agents uses as well. */

/** A block is an object with one of these keys and no `type`. */
const BLOCKS = [
  'text',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'image',
  'document',
  'video',
  'audio',
  'guardContent',
  'citationsContent',
  'cachePoint',
  'searchResult',
] as const;

/** Whether a list is in this dialect: most of its messages consist of such blocks. */
export function isBedrock(messages: readonly unknown[]): boolean {
  return mostly(messages, isBedrockMessage);
}

function isBedrockMessage(message: unknown): boolean {
  const role = get(message, 'role');
  const content = getArray(message, 'content');
  if ((role !== 'user' && role !== 'assistant') || !content || content.length === 0) return false;
  return sample(content, 20).every(isBlock);
}

function isBlock(block: unknown): boolean {
  if (get(block, 'type') !== undefined) return false;
  const key = BLOCKS.find((name) => get(block, name) !== undefined);
  if (key === undefined) return false;
  return key === 'text' ? typeof get(block, key) === 'string' : isObject(get(block, key));
}

/** The messages of a list; `pointer` is that of the list. */
export function* bedrockMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const role = get(message, 'role');
    if ((role !== 'user' && role !== 'assistant') || !getArray(message, 'content')) {
      problems.warn(
        'not-a-message',
        itemPointer,
        'Entry skipped: expected a user or assistant message with a list of content blocks.',
      );
      continue;
    }
    const { texts, thoughts, calls, results } = contentOf(message, `${itemPointer}/content`, problems);
    const content = joinTexts(texts, `${itemPointer}/content`);
    if (role === 'assistant') {
      yield { role: 'agent', pointer: itemPointer, content, reasoning: thoughts.join('\n') || undefined, calls };
    }
    yield* results;
    // Tool results are sent as user messages.
    if (role === 'user' && (content || results.length === 0)) yield { role: 'user', pointer: itemPointer, content };
  }
}

interface BedrockContent {
  readonly texts: readonly LocatedText[];
  readonly thoughts: readonly string[];
  readonly calls: readonly RequestedCall[];
  readonly results: readonly ResultMessage[];
}

function contentOf(message: unknown, pointer: Pointer, problems: Problems): BedrockContent {
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls: RequestedCall[] = [];
  const results: ResultMessage[] = [];
  for (const [index, block] of (getArray(message, 'content') ?? []).entries()) {
    const itemPointer = `${pointer}/${index}`;
    const text = textOf(block, itemPointer);
    if (text) texts.push(text);
    const thought = getString(get(get(block, 'reasoningContent'), 'reasoningText'), 'text');
    if (thought) thoughts.push(thought);
    const cited = getArray(get(block, 'citationsContent'), 'content') ?? [];
    for (const [number, part] of cited.entries()) {
      const quoted = textOf(part, `${itemPointer}/citationsContent/content/${number}`);
      if (quoted) texts.push(quoted);
    }
    const use = getObject(block, 'toolUse');
    const call = use && callOf(use, `${itemPointer}/toolUse`);
    if (call) calls.push(call);
    else if (use) problems.warn('call-without-name', itemPointer, 'Tool call skipped: it has no tool name.');
    const result = getObject(block, 'toolResult');
    if (result) results.push(resultOf(result, `${itemPointer}/toolResult`));
  }
  return { texts, thoughts, calls, results };
}

function textOf(block: unknown, pointer: Pointer): LocatedText | undefined {
  const text = getString(block, 'text');
  return text === undefined ? undefined : { text, pointer: `${pointer}/text` };
}

function callOf(use: unknown, pointer: Pointer): RequestedCall | undefined {
  const name = getString(use, 'name');
  if (name === undefined || name === '') return undefined;
  return { pointer, id: getString(use, 'toolUseId'), name, arguments: argumentsOf(get(use, 'input')) };
}

/**
 * The content of a result is a list of blocks: returns the value of a single block, the texts of several, or the list.
 */
function resultOf(result: unknown, pointer: Pointer): ResultMessage {
  const content = getArray(result, 'content') ?? [];
  const list = `${pointer}/content`;
  const texts = content.flatMap((block, index) => textOf(block, `${list}/${index}`) ?? []);
  const [first] = content;
  const json = content.length === 1 && isObject(first) && Object.hasOwn(first, 'json');
  const text = texts.length === content.length ? joinTexts(texts, list) : null;
  return {
    role: 'result',
    pointer,
    call: getString(result, 'toolUseId'),
    value: json ? get(first, 'json') : text ? text.text : content.length > 0 ? content : undefined,
    valuePointer: json ? `${list}/0/json` : (text?.pointer ?? (content.length > 0 ? list : pointer)),
    // The content is checked unless the result is flagged as failed: tools report success with errors inside.
    outcome: get(result, 'status') === 'error' ? 'error' : undefined,
  };
}

/** Token counts of a response. Cached tokens are not part of its input tokens, but of ours. */
export function bedrockUsage(usage: unknown): TokenUsage | undefined {
  const input = getNumber(usage, 'inputTokens');
  const output = getNumber(usage, 'outputTokens');
  if (input === undefined && output === undefined) return undefined;
  const cached = getNumber(usage, 'cacheReadInputTokens') ?? getNumber(usage, 'cacheReadInputTokenCount');
  const cacheWrite = getNumber(usage, 'cacheWriteInputTokens') ?? getNumber(usage, 'cacheWriteInputTokenCount');
  return {
    inputTokens: (input ?? 0) + (cached ?? 0) + (cacheWrite ?? 0),
    outputTokens: output ?? 0,
    cachedTokens: cached,
  };
}
