import { get, getArray, getId, getObject, getString, isObject, type JsonObject } from '../../../core/json.ts';
import type { Pointer, TokenUsage, ToolOutcome } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { argumentsOf } from '../../values.ts';
import {
  type AgentMessage,
  joinTexts,
  type LocatedText,
  type Message,
  type RecordedEvent,
  type RequestedCall,
} from './conversation.ts';

/** The chat messages of Inspect AI: OpenAI's, with calls `{id, function, arguments}` and typed errors of tools. */

/** What the rest of a sample contains about its messages. */
export interface SampleContext {
  /** Resolves a reference to the sample's attachments, which contain long texts; returns any other text as it is. */
  resolve(text: LocatedText): LocatedText;
  /** Model calls by the id of their message. */
  readonly answers: ReadonlyMap<string, Pick<AgentMessage, 'at' | 'endedAt' | 'model' | 'finishReason' | 'usage'>>;
  /** The end times of calls, by id. */
  readonly ends: ReadonlyMap<string, string>;
}

/** Reads one message. Skips anything else with a warning. */
export function* inspectMessage(
  message: unknown,
  itemPointer: Pointer,
  surroundings: SampleContext,
  problems: Problems,
): Generator<Message | RecordedEvent, void> {
  const { text, reasoning, executions } = contentOf(message, itemPointer, surroundings);
  switch (get(message, 'role')) {
    case 'system':
      if (text) yield { role: 'system', pointer: itemPointer, content: text };
      break;
    case 'user':
      yield { role: 'user', pointer: itemPointer, content: text };
      break;
    case 'assistant':
      // They ran while the model was answering.
      yield* executions;
      yield {
        role: 'agent',
        pointer: itemPointer,
        content: text,
        reasoning,
        calls: callsOf(message, itemPointer, surroundings, problems),
        model: getString(message, 'model'),
        ...surroundings.answers.get(getString(message, 'id') ?? ''),
      };
      break;
    case 'tool':
      yield resultOf(message, itemPointer, text, surroundings);
      break;
    default: {
      const roles = 'system, user, assistant, tool';
      problems.warn('not-a-message', itemPointer, `Entry skipped: expected one of the roles ${roles}.`);
    }
  }
}

function resultOf(message: unknown, itemPointer: Pointer, text: LocatedText | null, { ends }: SampleContext): Message {
  const call = getId(message, 'tool_call_id');
  const error = getObject(message, 'error');
  const errorText = getString(error, 'message');
  const value = text?.text === '' && errorText ? { text: errorText, pointer: `${itemPointer}/error/message` } : text;
  return {
    role: 'result',
    pointer: itemPointer,
    call,
    name: getString(message, 'function'),
    value: value?.text,
    valuePointer: value?.pointer ?? itemPointer,
    outcome: outcomeOf(error),
    error: errorText,
    at: ends.get(call ?? ''),
  };
}

/** The flag decides, not the text: a tool may report an error that is not its own. */
function outcomeOf(error: JsonObject | undefined): Exclude<ToolOutcome, 'missing'> {
  if (!error) return 'ok';
  return get(error, 'type') === 'approval' ? 'rejected' : 'error';
}

function callsOf(
  message: unknown,
  itemPointer: Pointer,
  { resolve }: SampleContext,
  problems: Problems,
): readonly RequestedCall[] {
  return (getArray(message, 'tool_calls') ?? []).flatMap((call, index): RequestedCall[] => {
    const pointer = `${itemPointer}/tool_calls/${index}`;
    const name = getString(call, 'function');
    if (name === undefined || name === '') {
      problems.warn('call-without-name', pointer, 'Tool call skipped: it has no tool name.');
      return [];
    }
    const args = argumentsOf(get(call, 'arguments'));
    return [{ pointer, id: getId(call, 'id'), name, arguments: resolveArguments(args, pointer, resolve) }];
  });
}

/** Attachments are resolved if they are an argument; deeper references are kept. */
function resolveArguments(
  args: JsonObject | string,
  pointer: Pointer,
  resolve: SampleContext['resolve'],
): JsonObject | string {
  if (!isObject(args)) return resolve({ text: args, pointer }).text;
  const entries = Object.entries(args).map(([key, value]) => {
    return [key, typeof value === 'string' ? resolve({ text: value, pointer }).text : value] as const;
  });
  return Object.fromEntries(entries);
}

interface InspectContent {
  readonly text: LocatedText | null;
  readonly reasoning: string | undefined;
  /** Tools that ran at the model's provider. */
  readonly executions: readonly RecordedEvent[];
}

function contentOf(message: unknown, itemPointer: Pointer, { resolve }: SampleContext): InspectContent {
  const content = get(message, 'content');
  const pointer = `${itemPointer}/content`;
  if (typeof content === 'string') {
    return { text: resolve({ text: content, pointer }), reasoning: undefined, executions: [] };
  }
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const executions: RecordedEvent[] = [];
  for (const [index, part] of (getArray(message, 'content') ?? []).entries()) {
    const at = `${pointer}/${index}`;
    const text = getString(part, 'text');
    if (text !== undefined) texts.push(resolve({ text, pointer: `${at}/text` }));
    const thought = getString(part, 'reasoning');
    if (thought) thoughts.push(resolve({ text: thought, pointer: `${at}/reasoning` }).text);
    const name = getString(part, 'name');
    if (get(part, 'type') === 'tool_use' && name) executions.push(executionOf(part, name, at));
  }
  return { text: joinTexts(texts, pointer), reasoning: thoughts.join('\n') || undefined, executions };
}

function executionOf(part: unknown, name: string, pointer: Pointer): RecordedEvent {
  const error = getString(part, 'error') || undefined;
  const value = get(part, 'result');
  return {
    role: 'execution',
    pointer,
    call: getId(part, 'id'),
    name,
    arguments: argumentsOf(get(part, 'arguments')),
    value,
    valuePointer: value === undefined ? pointer : `${pointer}/result`,
    outcome: error === undefined ? 'ok' : 'error',
    error,
  };
}

/** Token counts of Inspect. Whether cached tokens are part of the input depends on the provider; the total shows it. */
export function inspectUsage(usage: unknown): TokenUsage | undefined {
  const [input, output] = [get(usage, 'input_tokens'), get(usage, 'output_tokens')];
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  const [total, cached] = [get(usage, 'total_tokens'), get(usage, 'input_tokens_cache_read')];
  const thought = get(usage, 'reasoning_tokens');
  return {
    inputTokens: typeof total === 'number' ? Math.max(input, total - output) : input,
    outputTokens: Math.max(0, output - (typeof thought === 'number' ? thought : 0)),
    cachedTokens: typeof cached === 'number' ? cached : undefined,
    reasoningTokens: typeof thought === 'number' ? thought : undefined,
  };
}
