import { get, getArray, getId, getObject, getString } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly } from '../../records.ts';
import { argumentsOf, isoTime, openAiUsage } from '../../values.ts';
import { answerForUser } from './ag2.ts';
import type { AgentMessage, Message, RecordedEvent, RequestedCall } from './conversation.ts';
import { parseChat } from './dialects.ts';

/**
 * The event log of AutoGen's core, one event per line: `LLMCall` with the whole history and the response, `ToolCall`
 * with the arguments and the result of a tool.
 */

const OTHER_EVENTS = /^(?:Message|MessageDropped|MessageHandlerException|AgentConstructionException)$/;

/** Whether a list contains such events, including calls of models or tools. */
export function isAutoGenLog(events: readonly unknown[]): boolean {
  return (
    events.some(isCall) && mostly(events, (event) => isCall(event) || OTHER_EVENTS.test(getString(event, 'type') ?? ''))
  );
}

function isCall(event: unknown): boolean {
  switch (get(event, 'type')) {
    case 'LLMCall':
      return getArray(event, 'messages') !== undefined && getObject(event, 'response') !== undefined;
    case 'LLMStreamStart':
      return getArray(event, 'messages') !== undefined;
    case 'LLMStreamEnd':
      return getObject(event, 'response') !== undefined;
    case 'ToolCall':
      return getString(event, 'tool_name') !== undefined && get(event, 'arguments') !== undefined;
    default:
      return false;
  }
}

/** The conversation in the events of a log; `pointer` is that of the list. */
export function* autoGenLogMessages(
  events: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message | RecordedEvent, void> {
  const log = new LogReader(problems);
  for (const [index, event] of events.entries()) {
    const itemPointer = `${pointer}/${index}`;
    switch (get(event, 'type')) {
      case 'LLMCall':
        yield* log.sent(event, itemPointer);
        yield* log.received(event, itemPointer);
        break;
      case 'LLMStreamStart':
        yield* log.sent(event, itemPointer);
        break;
      case 'LLMStreamEnd':
        yield* log.received(event, itemPointer);
        break;
      case 'ToolCall':
        yield* toolExecutions(event, itemPointer);
        break;
      case 'MessageHandlerException':
        yield {
          ...textMessage(event, itemPointer),
          speaker: speakerOf(event, 'handling_agent'),
          error: getString(event, 'exception'),
        };
        break;
      default:
        // Messages between agents are repeated in the requests to models.
        break;
    }
  }
}

/** Tracks known messages, since every model call repeats them. */
class LogReader {
  readonly #problems: Problems;
  /** How often each text occurred. Further occurrences in a history are new. */
  readonly #counts = new Map<string, number>();
  readonly #answers = new Set<string>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** The new messages in the history of a request. */
  *sent(event: unknown, itemPointer: Pointer): Generator<Message, void> {
    const directs = isDirector(event);
    const inThisCall = new Map<string, number>();
    for (const message of parseChat(get(event, 'messages'), `${itemPointer}/messages`, this.#problems)?.messages ??
      []) {
      if (message.role === 'result') {
        yield { ...message, repeated: true, at: timeOf(event) };
      } else if ((message.role === 'user' || message.role === 'system') && !directs) {
        const text = message.content?.text ?? '';
        // To a model, the texts of other agents are user messages.
        if (message.role === 'user' && this.#answers.has(text)) continue;
        const key = `${message.role} ${text}`;
        const times = (inThisCall.get(key) ?? 0) + 1;
        inThisCall.set(key, times);
        if (times <= (this.#counts.get(key) ?? 0)) continue;
        this.#counts.set(key, times);
        yield message.role === 'user' ? { ...message, at: timeOf(event) } : message;
      }
    }
  }

  *received(event: unknown, itemPointer: Pointer): Generator<Message, void> {
    const answer = answerOf(event, itemPointer, this.#problems);
    if (!answer) return;
    if (answer.content) this.#answers.add(answer.content.text);
    yield {
      ...answer,
      pointer: itemPointer,
      speaker: speakerOf(event),
      usage: openAiUsage(event),
      at: timeOf(event),
      answer: isDirector(event) ? null : answerForUser(answer.content),
    };
  }
}

/** The response of a model, in its provider's notation or in AutoGen's. */
function answerOf(event: unknown, itemPointer: Pointer, problems: Problems): AgentMessage | undefined {
  const response = getObject(event, 'response');
  const pointer = `${itemPointer}/response`;
  const answers = (parseChat(response, pointer, problems)?.messages ?? []).filter(
    (message) => message.role === 'agent',
  );
  if (answers[0]) return answers[0];
  const content = get(response, 'content');
  const base = { role: 'agent', pointer, reasoning: getString(response, 'thought') } as const;
  if (typeof content === 'string')
    return { ...base, content: { text: content, pointer: `${pointer}/content` }, calls: [] };
  if (!Array.isArray(content)) return undefined;
  const calls = content.flatMap((call, index): RequestedCall[] => {
    const name = getString(call, 'name');
    const args = argumentsOf(get(call, 'arguments'));
    return name ? [{ pointer: `${pointer}/content/${index}`, id: getId(call, 'id'), name, arguments: args }] : [];
  });
  return { ...base, content: null, calls };
}

function* toolExecutions(event: unknown, pointer: Pointer): Generator<RecordedEvent, void> {
  const name = getString(event, 'tool_name');
  if (!name) return;
  const value = get(event, 'result') ?? undefined;
  yield {
    role: 'execution',
    pointer,
    name,
    arguments: argumentsOf(get(event, 'arguments')),
    value,
    valuePointer: value === undefined ? undefined : `${pointer}/result`,
    speaker: speakerOf(event),
    at: timeOf(event),
  };
}

function textMessage(event: unknown, pointer: Pointer): AgentMessage {
  return { role: 'agent', pointer, content: null, calls: [], speaker: speakerOf(event), at: timeOf(event) };
}

function timeOf(event: unknown): string | undefined {
  return isoTime(get(event, 'timestamp'));
}

/** A team's manager asks models in the user's name who speaks next. The answers are not for the user. */
function isDirector(event: unknown): boolean {
  return /(?:Manager|Orchestrator)$/.test(speakerOf(event) ?? '');
}

/** An agent's name from its id `name_of-the-team/of-the-instance`. */
function speakerOf(event: unknown, key = 'agent_id'): string | undefined {
  return getString(event, key)
    ?.replace(/\/.*$/s, '')
    .replace(/_[0-9a-f]{8}-[0-9a-f-]{27}$/, '');
}
