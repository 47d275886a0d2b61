import { get, getArray, getId, getNumber, getObject, getString } from '../../../core/json.ts';
import type { Pointer, TokenUsage } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf, firstPresent, openAiUsage } from '../../values.ts';
import { type AgentMessage, joinTexts, type LocatedText, type Message, type RequestedCall } from './conversation.ts';
import { callsOf } from './openai.ts';

/**
 * The messages of LangChain and LangGraph in all their serializations: the constructor form `{lc, type: 'constructor',
 * id: […, 'AIMessage'], kwargs}`, the stored form `{type: 'ai', data}`, the plain form `{type: 'ai', content,
 * tool_calls}`, and what LangChain converts to messages: `{role, content}` and `[role, text]`.
 */

type LangChainRole = 'user' | 'agent' | 'system' | 'result' | 'removal';

/** By the value of `type` or `role`, or by the class name without "Message" and "Chunk". */
const LANGCHAIN_ROLES: ReadonlyMap<string, LangChainRole> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['ai', 'agent'],
  ['assistant', 'agent'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'result'],
  ['function', 'result'],
  ['remove', 'removal'],
]);

/** Whether a list is in this dialect: most entries are messages in any of its forms, and one has a unique form. */
export function isLangChain(messages: readonly unknown[]): boolean {
  return messages.some(isDistinctive) && mostly(messages, (message) => bodyOf(message, '') !== undefined);
}

function isDistinctive(message: unknown): boolean {
  const body = bodyOf(message, '');
  if (!body) return false;
  // In a unique form: wrapped, or as a pair.
  if (body.pointer !== '' || Array.isArray(message)) return true;
  if (getObject(message, 'additional_kwargs') ?? getObject(message, 'response_metadata')) return true;
  const type = getString(message, 'type') ?? '';
  if (/^(?:human|ai)/i.test(type) || (type === 'tool' && getString(message, 'tool_call_id') !== undefined)) return true;
  return sample(getArray(message, 'tool_calls') ?? [], 20).some(
    (call) => getString(call, 'name') && getObject(call, 'args'),
  );
}

/** The messages of a list; `pointer` is that of the list. */
export function* langChainMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const body = bodyOf(message, itemPointer);
    if (body) {
      const read = messageOf(body, itemPointer, problems);
      if (read) yield read;
    } else
      problems.warn('not-a-message', itemPointer, 'Entry skipped: it is not a LangChain message in any known form.');
  }
}

/** A message without its wrapper. */
interface LangChainBody {
  readonly kind: LangChainRole;
  readonly value: unknown;
  readonly pointer: Pointer;
  /** The location of its content. */
  readonly content: Pointer;
}

function bodyOf(message: unknown, pointer: Pointer): LangChainBody | undefined {
  if (Array.isArray(message)) {
    const [role, content] = message;
    const kind = message.length === 2 && typeof content === 'string' ? roleOf(role) : undefined;
    return kind && { kind, value: { content }, pointer, content: `${pointer}/1` };
  }
  const type = get(message, 'type');
  if (type === 'constructor') {
    const names = getArray(message, 'id');
    const kwargs = getObject(message, 'kwargs');
    return typeof get(message, 'lc') === 'number' && kwargs
      ? classBody(names?.at(-1), kwargs, `${pointer}/kwargs`)
      : undefined;
  }
  const data = getObject(message, 'data');
  if (data && !Object.hasOwn(Object(message), 'content')) return classBody(type, data, `${pointer}/data`);
  return classBody(type ?? get(message, 'role'), message, pointer);
}

function classBody(name: unknown, value: unknown, pointer: Pointer): LangChainBody | undefined {
  const kind = roleOf(name) ?? roleOf(get(value, 'role'));
  const content = get(value, 'content');
  // An answer with calls only may have no content.
  const empty = content === null || (content === undefined && getArray(value, 'tool_calls') !== undefined);
  if (typeof content !== 'string' && !Array.isArray(content) && !empty && kind !== 'removal') return undefined;
  return kind && { kind, value, pointer, content: `${pointer}/content` };
}

/** `human`, `HumanMessage`, `HumanMessageChunk`. */
function roleOf(name: unknown): LangChainRole | undefined {
  return typeof name === 'string'
    ? LANGCHAIN_ROLES.get(name.replace(/Message(?:Chunk)?$/, '').toLowerCase())
    : undefined;
}

function messageOf(
  { kind, value, pointer, content: itemPointer }: LangChainBody,
  outer: Pointer,
  problems: Problems,
): Message | null {
  const content = get(value, 'content');
  const { text, reasoning, calls } = partsOf(content, itemPointer);
  switch (kind) {
    case 'user':
      return { role: 'user', pointer: outer, content: text };
    case 'agent':
      return agentMessage({ value, pointer }, { text, reasoning, calls }, outer, problems);
    case 'system':
      return text && { role: 'system', pointer: outer, content: text };
    case 'result':
      return {
        role: 'result',
        pointer: outer,
        call: getId(value, 'tool_call_id'),
        name: getString(value, 'name'),
        value: text?.text ?? content ?? undefined,
        valuePointer: text?.pointer ?? (content === undefined ? outer : itemPointer),
        // "success" is also the default: the content may still be an error.
        outcome: get(value, 'status') === 'error' ? 'error' : undefined,
      };
    case 'removal':
      return null;
  }
}

interface LangChainParts {
  readonly text: LocatedText | null;
  readonly reasoning: string | undefined;
  readonly calls: readonly RequestedCall[];
}

const REASONING = /^(?:thinking|reasoning|reasoning_content)$/;
const CALL = /^(?:tool_use|tool_call|function_call)$/;

/** Parses content: a text, or a list of LangChain's or the model provider's blocks. */
function partsOf(content: unknown, itemPointer: Pointer): LangChainParts {
  if (typeof content === 'string')
    return { text: { text: content, pointer: itemPointer }, reasoning: undefined, calls: [] };
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls: RequestedCall[] = [];
  for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
    const pointer = `${itemPointer}/${index}`;
    const type = getString(block, 'type') ?? 'text';
    const name = getString(block, 'name');
    if (typeof block === 'string') texts.push({ text: block, pointer });
    else if (REASONING.test(type)) thoughts.push(...thoughtsOf(block));
    else if (CALL.test(type) && name) {
      const id = getId(block, 'call_id') ?? getId(block, 'id');
      calls.push({ pointer, id, name, arguments: argumentsOf(firstPresent(block, 'input', 'args', 'arguments')) });
    } else {
      const key = type === 'refusal' ? 'refusal' : 'text';
      const text = getString(block, key);
      if (text !== undefined) texts.push({ text, pointer: `${pointer}/${key}` });
    }
  }
  return { text: joinTexts(texts, itemPointer), reasoning: thoughts.join('\n') || undefined, calls };
}

function thoughtsOf(block: unknown): string[] {
  const thought = firstPresent(block, 'thinking', 'reasoning', 'text');
  if (typeof thought === 'string') return [thought];
  const inner = getString(get(block, 'reasoning_content'), 'text');
  return inner === undefined
    ? (getArray(block, 'summary') ?? []).flatMap((part) => getString(part, 'text') ?? [])
    : [inner];
}

function agentMessage(
  { value, pointer }: Pick<LangChainBody, 'value' | 'pointer'>,
  { text, reasoning, calls }: LangChainParts,
  outer: Pointer,
  problems: Problems,
): AgentMessage {
  const more = get(value, 'additional_kwargs');
  const response = get(value, 'response_metadata');
  const model = firstPresent(response, 'model_name', 'model');
  const finishReason = firstPresent(response, 'finish_reason', 'stop_reason');
  return {
    role: 'agent',
    pointer: outer,
    content: text,
    reasoning: reasoning ?? getString(more, 'reasoning_content'),
    calls: distinctCalls(
      callsOf(value, pointer, problems),
      invalidCalls(value, pointer),
      callsOf(more, `${pointer}/additional_kwargs`, problems),
      calls,
    ),
    model: typeof model === 'string' ? model : undefined,
    finishReason: typeof finishReason === 'string' ? finishReason : undefined,
    speaker: getString(value, 'name'),
    usage: langChainUsage(get(value, 'usage_metadata')) ?? openAiUsage(firstPresent(response, 'token_usage', 'usage')),
  };
}

/** Calls whose arguments are not a JSON object. */
function invalidCalls(message: unknown, pointer: Pointer): RequestedCall[] {
  return (getArray(message, 'invalid_tool_calls') ?? []).flatMap((call, index) => {
    const name = getString(call, 'name');
    const itemPointer = `${pointer}/invalid_tool_calls/${index}`;
    return name ? { pointer: itemPointer, id: getId(call, 'id'), name, arguments: argumentsOf(get(call, 'args')) } : [];
  });
}

/**
 * The same calls may be written in LangChain's form, in the provider's form and as content blocks: each counts once.
 */
function distinctCalls(...lists: readonly (readonly RequestedCall[])[]): RequestedCall[] {
  const calls: RequestedCall[] = [];
  const ids = new Set<string>();
  for (const list of lists) {
    const others = list.filter(({ id }) => (id ? !ids.has(id) : calls.length === 0));
    calls.push(...others);
    for (const { id } of others) if (id) ids.add(id);
  }
  return calls;
}

/** `UsageMetadata`: cached tokens are part of the input, reasoning tokens part of the output. */
export function langChainUsage(usage: unknown): TokenUsage | undefined {
  const input = getNumber(usage, 'input_tokens');
  const output = getNumber(usage, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const reasoning = getNumber(get(usage, 'output_token_details'), 'reasoning');
  return {
    inputTokens: input ?? 0,
    outputTokens: Math.max(0, (output ?? 0) - (reasoning ?? 0)),
    cachedTokens: getNumber(get(usage, 'input_token_details'), 'cache_read'),
    reasoningTokens: reasoning,
  };
}
