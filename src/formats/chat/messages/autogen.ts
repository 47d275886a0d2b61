import { get, getArray, getId, getString, isObject } from '../../../core/json.ts';
import type { Pointer, RetrievalStep } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly } from '../../records.ts';
import { argumentsOf, isoTime, jsonText, openAiUsage } from '../../values.ts';
import { answerForUser } from './ag2.ts';
import { fencedCode } from './code-execution.ts';
import {
  type AgentMessage,
  joinTexts,
  type LocatedText,
  type Message,
  type RequestedCall,
  type RetrievalMessage,
} from './conversation.ts';

/**
 * The messages and events of AutoGen 0.4 and later, `{type, source, content}`: those of AgentChat, and those of a
 * model's context in saved states.
 */

const TYPES =
  /^(?:(?:Text|MultiModal|Stop|Handoff|ToolCallSummary|User|Assistant|System|FunctionExecutionResult)Message|StructuredMessage(?:\[.*\])?|(?:ToolCallRequest|ToolCallExecution|CodeGeneration|CodeExecution|UserInputRequested|MemoryQuery|ModelClientStreamingChunk|Thought|SelectSpeaker|Selector)Event)$/;

/** Types of messages without a source. */
const SOURCELESS: ReadonlySet<unknown> = new Set(['SystemMessage', 'FunctionExecutionResultMessage']);

const USER = /^(?:user|human)(?:[_ -]?proxy)?(?:[_ -]?agent)?$/i;

/** Whether a list is in this dialect. */
export function isAutoGen(messages: readonly unknown[]): boolean {
  return mostly(messages, (message) => {
    const type = getString(message, 'type');
    if (type === undefined || type.length > 200 || !TYPES.test(type)) return false;
    return SOURCELESS.has(type) || typeof get(message, 'source') === 'string';
  });
}

/** The messages of a list; `pointer` is that of the list. */
export function* autoGenMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const event of autoGenEvents(messages, pointer, problems)) if (event.role !== 'retrieval') yield event;
}

/** Like {@link autoGenMessages}, with memory retrievals. */
export function* autoGenEvents(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message | RetrievalMessage, void> {
  const users = createUserTest(messages);
  let thoughts: AutoGenThoughts | null = null;
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    if (getString(message, 'type') === 'ThoughtEvent') {
      // A thought comes before the text or the calls of the same source.
      if (thoughts) yield thoughtMessage(thoughts);
      thoughts = { message, pointer: itemPointer };
      continue;
    }
    for (const part of messagesOf(message, itemPointer, users, problems)) {
      if (thoughts && part.role === 'agent' && part.speaker === getString(thoughts.message, 'source')) {
        yield { ...part, reasoning: part.reasoning ?? getString(thoughts.message, 'content') };
      } else {
        if (thoughts) yield thoughtMessage(thoughts);
        yield part;
      }
      thoughts = null;
    }
  }
  if (thoughts) yield thoughtMessage(thoughts);
}

interface AutoGenThoughts {
  readonly message: unknown;
  readonly pointer: Pointer;
}

function thoughtMessage({ message, pointer }: AutoGenThoughts): AgentMessage {
  return { ...agentMessage(message, pointer), reasoning: getString(message, 'content') };
}

/** The participants that are asked for input, or that have the name of a user. */
function createUserTest(messages: readonly unknown[]): (message: unknown) => boolean {
  const inputSources = new Set<unknown>();
  for (const message of messages) {
    if (get(message, 'type') === 'UserInputRequestedEvent') inputSources.add(get(message, 'source'));
  }
  return (message) => {
    const source = getString(message, 'source');
    return source !== undefined && (inputSources.has(source) || USER.test(source));
  };
}

function* messagesOf(
  message: unknown,
  itemPointer: Pointer,
  isUser: (message: unknown) => boolean,
  problems: Problems,
): Generator<Message | RetrievalMessage, void> {
  const type = getString(message, 'type') ?? '';
  switch (type) {
    case 'SystemMessage': {
      const content = contentOf(message, itemPointer);
      if (content) yield { role: 'system', pointer: itemPointer, content };
      return;
    }
    case 'ToolCallRequestEvent':
      yield { ...agentMessage(message, itemPointer), calls: callsOf(message, itemPointer, problems) };
      return;
    case 'AssistantMessage': {
      const calls = Array.isArray(get(message, 'content')) ? callsOf(message, itemPointer, problems) : [];
      const content = calls.length > 0 ? null : contentOf(message, itemPointer);
      yield { ...agentMessage(message, itemPointer), content, calls, reasoning: getString(message, 'thought') };
      return;
    }
    case 'ToolCallExecutionEvent':
    case 'FunctionExecutionResultMessage':
      yield* resultsOf(message, itemPointer);
      return;
    case 'CodeGenerationEvent': {
      const content = contentOf(message, itemPointer);
      const code = fencedCode(content?.text ?? '');
      const name = getString(message, 'source') ?? 'code_executor';
      const call = { pointer: `${itemPointer}/content`, name, arguments: { code: code ?? '' } };
      yield { ...agentMessage(message, itemPointer), content, answer: null, calls: code === undefined ? [] : [call] };
      return;
    }
    case 'CodeExecutionEvent':
      yield codeResult(message, itemPointer);
      return;
    case 'HandoffMessage': {
      const content = contentOf(message, itemPointer);
      const toUser = isUser({ source: get(message, 'target') });
      yield { ...agentMessage(message, itemPointer), content, answer: toUser ? content : null };
      return;
    }
    case 'UserMessage':
    case 'TextMessage':
    case 'MultiModalMessage':
    case 'StopMessage':
    case 'ToolCallSummaryMessage': {
      const content = contentOf(message, itemPointer);
      if (isUser(message)) yield { role: 'user', pointer: itemPointer, content, at: timeOf(message) };
      else
        yield {
          ...agentMessage(message, itemPointer),
          content,
          answer: type === 'StopMessage' ? null : answerForUser(content),
        };
      return;
    }
    case 'MemoryQueryEvent':
      yield { role: 'retrieval', pointer: itemPointer, step: retrievalStep(message, itemPointer), at: timeOf(message) };
      return;
    case 'UserInputRequestedEvent':
    case 'ModelClientStreamingChunkEvent':
    case 'SelectSpeakerEvent':
    case 'SelectorEvent':
      // The selection of a speaker, and parts of a message that follows as a whole.
      return;
    default: {
      const content = contentOf(message, itemPointer);
      if (content && TYPES.test(type))
        yield { ...agentMessage(message, itemPointer), content, answer: answerForUser(content) };
      else {
        problems.warn('not-a-message', itemPointer, 'Entry skipped: its `type` is not a message or event of AutoGen.');
      }
    }
  }
}

/** The properties of all agent messages. */
function agentMessage(message: unknown, pointer: Pointer): AgentMessage {
  return {
    role: 'agent',
    pointer,
    content: null,
    calls: [],
    speaker: getString(message, 'source'),
    usage: openAiUsage(get(message, 'models_usage')),
    at: timeOf(message),
  };
}

function timeOf(message: unknown): string | undefined {
  return isoTime(get(message, 'created_at'));
}

/** A text, texts among images, or a value of a type defined by the program. */
function contentOf(message: unknown, itemPointer: Pointer): LocatedText | null {
  const content = get(message, 'content');
  const pointer = `${itemPointer}/content`;
  if (typeof content === 'string') return { text: content, pointer };
  if (content === undefined || content === null) return null;
  if (!Array.isArray(content)) return { text: jsonText(content), pointer };
  const texts = content.flatMap((part, index) =>
    typeof part === 'string' ? { text: part, pointer: `${pointer}/${index}` } : [],
  );
  return joinTexts(texts, pointer);
}

function callsOf(message: unknown, itemPointer: Pointer, problems: Problems): RequestedCall[] {
  return (getArray(message, 'content') ?? []).flatMap((call, index) => {
    const pointer = `${itemPointer}/content/${index}`;
    const name = getString(call, 'name');
    if (name) return { pointer, id: getId(call, 'id'), name, arguments: argumentsOf(get(call, 'arguments')) };
    problems.warn('call-without-name', pointer, 'Tool call skipped: it has no tool name.');
    return [];
  });
}

function* resultsOf(message: unknown, itemPointer: Pointer): Generator<Message, void> {
  for (const [index, result] of (getArray(message, 'content') ?? []).entries()) {
    const pointer = `${itemPointer}/content/${index}`;
    const value = get(result, 'content');
    yield {
      role: 'result',
      pointer,
      call: getId(result, 'call_id'),
      name: getString(result, 'name'),
      value,
      valuePointer: value === undefined ? pointer : `${pointer}/content`,
      outcome: get(result, 'is_error') === true ? 'error' : undefined,
      at: timeOf(message),
    };
  }
}

function retrievalStep(message: unknown, pointer: Pointer): RetrievalStep {
  const documents = (getArray(message, 'content') ?? []).flatMap((memory) => {
    const content = get(memory, 'content');
    return content === undefined || content === null
      ? []
      : { text: typeof content === 'string' ? content : jsonText(content) };
  });
  return { type: 'retrieval', pointer, documents };
}

/** The output of code: its text, or `{exit_code, output}`. */
function codeResult(message: unknown, itemPointer: Pointer): Message {
  const result = get(message, 'result');
  const key = isObject(result) ? '/output' : '';
  const value = isObject(result) ? get(result, 'output') : result;
  const code = get(result, 'exit_code');
  return {
    role: 'result',
    pointer: itemPointer,
    name: getString(message, 'source'),
    value,
    valuePointer: value === undefined ? itemPointer : `${itemPointer}/result${key}`,
    outcome: typeof code === 'number' && code !== 0 ? 'error' : undefined,
    at: timeOf(message),
  };
}
