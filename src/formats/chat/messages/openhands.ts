import {
  get,
  getArray,
  getId,
  getNumber,
  getObject,
  getString,
  isObject,
  type JsonObject,
} from '../../../core/json.ts';
import type { Pointer, ToolOutcome } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { argumentsOf, isoTime, openAiUsage } from '../../values.ts';
import {
  type AgentMessage,
  buildConversation,
  type LocatedText,
  type Message,
  type RequestedCall,
} from './conversation.ts';
import { callsOf } from './openai.ts';

/**
 * The events of OpenHands: actions and their observations. The actions of one model answer are separate events, each
 * with the whole answer. The sub-agent of a `delegate` acts in the events up to its observation.
 */

/** An event and its location. */
export type LocatedEvent = readonly [Pointer, unknown];

const SOURCES: ReadonlySet<unknown> = new Set(['user', 'agent', 'environment']);

export function isOpenHandsEvent(value: unknown): boolean {
  if (!SOURCES.has(get(value, 'source'))) return false;
  if (typeof get(value, 'action') === 'string') return getObject(value, 'args') !== undefined;
  return typeof get(value, 'observation') === 'string' && typeof get(value, 'content') === 'string';
}

/** Actions that are texts. */
const ANSWERS: ReadonlySet<unknown> = new Set(['message', 'finish', 'reject']);

/** Actions of the harness, which change the state of the run or its memory. */
const HARNESS: ReadonlySet<unknown> = new Set([
  'start',
  'null',
  'recall',
  'condensation',
  'condensation_request',
  'change_agent_state',
  'loop_recovery',
  'pause',
  'resume',
  'stop',
]);

/** Limit for agents that delegate to agents. */
const MAX_DEPTH = 20;

export function openHandsMessages(events: Iterable<LocatedEvent>, problems: Problems): Generator<Message, unknown> {
  return new EventReader(events, problems).messages(0);
}

class EventReader {
  readonly #events: Iterator<LocatedEvent>;
  readonly #problems: Problems;
  /** Ids of answers that were read with their first action. */
  readonly #answers = new Set<string>();
  /** The ids of calls, by the ids of the events that execute them. */
  readonly #calls = new Map<string, string>();
  /** The events without an observation so far. */
  readonly #open = new Set<string>();

  constructor(events: Iterable<LocatedEvent>, problems: Problems) {
    this.#events = events[Symbol.iterator]();
    this.#problems = problems;
  }

  /**
   * The messages of a sub-agent, up to the observation that ends it.
   *
   * @returns that observation
   */
  *messages(depth: number): Generator<Message, LocatedEvent | undefined> {
    for (let next = this.#events.next(); !next.done; next = this.#events.next()) {
      const [pointer, event] = next.value;
      const observation = getString(event, 'observation');
      if (observation === 'delegate' && depth > 0) return next.value;
      if (observation !== undefined) yield* this.#observed(event, pointer, observation);
      else if (typeof get(event, 'action') === 'string') yield* this.#acted(event, pointer);
      else this.#problems.warn('not-an-event', pointer, 'Event skipped: it is neither an action nor an observation.');
      if (get(event, 'action') === 'delegate' && depth < MAX_DEPTH) yield* this.#delegated(event, pointer, depth);
    }
    return undefined;
  }

  *#delegated(event: unknown, pointer: Pointer, depth: number): Generator<Message> {
    const inner = this.messages(depth + 1);
    let end: LocatedEvent | undefined;
    const texts = (function* () {
      end = yield* inner;
    })();
    const { turns } = buildConversation(texts, this.#problems);
    const name = getString(getObject(event, 'args'), 'agent') ?? 'agent';
    yield { role: 'sub-agent', pointer, name, turns, at: isoTime(get(event, 'timestamp')) };
    if (end) yield* this.#observed(end[1], end[0], 'delegate', getId(event, 'id'));
  }

  *#acted(event: unknown, pointer: Pointer): Generator<Message> {
    const action = get(event, 'action');
    const args = getObject(event, 'args');
    const at = isoTime(get(event, 'timestamp'));
    if (HARNESS.has(action) || get(event, 'source') === 'environment') return;
    if (action === 'system') {
      const text = getString(args, 'content');
      if (text) yield { role: 'system', pointer, content: { text, pointer: `${pointer}/args/content` } };
    } else if (get(event, 'source') === 'agent') {
      const answer = this.#answer(event, pointer, at);
      if (answer) yield answer;
    } else if (action === 'message') {
      yield { role: 'user', pointer, content: argument(event, pointer, 'content'), at };
    } else {
      // A command that a user typed into the agent's terminal.
      yield { role: 'user', pointer, content: null, calls: [this.#ownCall(event, pointer)], at };
    }
  }

  /** A model answer with all its calls, whether or not they were executed; null if it was already read. */
  #answer(event: unknown, pointer: Pointer, at: string | undefined): AgentMessage | null {
    const metadata = getObject(event, 'tool_call_metadata');
    const response = getObject(metadata, 'model_response');
    const call = getString(metadata, 'tool_call_id');
    const id = getId(event, 'id');
    if (call !== undefined) this.#executes(id ?? pointer, call);
    const answer = getString(response, 'id');
    if (answer !== undefined && this.#answers.has(answer) && this.#wasRequested(response, call)) return null;
    if (answer !== undefined) this.#answers.add(answer);

    const choice = getArray(response, 'choices')?.[0];
    const message = getObject(choice, 'message');
    const itemPointer = `${pointer}/tool_call_metadata/model_response/choices/0/message`;
    const words = ANSWERS.has(get(event, 'action'));
    const requested = message ? callsOf(message, itemPointer, this.#problems) : [];
    // The final text of the agent, which is not executed.
    const calls = requested.filter(({ name }) => name !== 'finish');
    return {
      role: 'agent',
      pointer,
      content: words ? closingText(event, pointer) : argument(event, pointer, 'thought'),
      reasoning: getString(message, 'reasoning_content'),
      calls: requested.length > 0 ? calls : words ? [] : [this.#ownCall(event, pointer)],
      model: getString(response, 'model'),
      finishReason: getString(choice, 'finish_reason'),
      usage: openAiUsage(get(response, 'usage')),
      at,
    };
  }

  #wasRequested(response: unknown, call: string | undefined): boolean {
    const message = getObject(getArray(response, 'choices')?.[0], 'message');
    return (getArray(message, 'tool_calls') ?? []).some((entry) => getId(entry, 'id') === call);
  }

  /** The call of an action without a model answer, with its own id or that of the event. */
  #ownCall(event: unknown, pointer: Pointer): RequestedCall {
    const metadata = getObject(event, 'tool_call_metadata');
    const id = getString(metadata, 'tool_call_id') ?? `event-${getId(event, 'id') ?? pointer}`;
    this.#executes(getId(event, 'id') ?? pointer, id);
    const name = getString(metadata, 'function_name') ?? getString(event, 'action') ?? '';
    return { pointer, id, name, arguments: argumentsIn(getObject(event, 'args')) };
  }

  *#observed(event: unknown, pointer: Pointer, observation: string, cause?: string): Generator<Message> {
    const caused = getId(event, 'cause') ?? cause;
    const call =
      getString(getObject(event, 'tool_call_metadata'), 'tool_call_id') ??
      (caused === undefined ? undefined : this.#calls.get(caused));
    // Observations without a call: states, memories, errors of the harness.
    if (call === undefined || !this.#open.delete(call)) return;
    const text = getString(event, 'content');
    yield {
      role: 'result',
      pointer,
      call,
      value: text,
      valuePointer: text === undefined ? pointer : `${pointer}/content`,
      outcome: outcomeOf(event, observation),
      at: isoTime(get(event, 'timestamp')),
    };
  }

  #executes(event: string, call: string): void {
    this.#calls.set(event, call);
    this.#open.add(call);
  }
}

/** Arguments that the harness adds to those of the model. */
const INTERNAL: ReadonlySet<string> = new Set([
  'thought',
  'hidden',
  'blocking',
  'confirmation_state',
  'security_risk',
  'is_static',
  'is_input',
  'impl_source',
  'translated_ipython_code',
]);

function argumentsIn(args: JsonObject | undefined): JsonObject | string {
  return argumentsOf(
    isObject(args) ? Object.fromEntries(Object.entries(args).filter(([key]) => !INTERNAL.has(key))) : args,
  );
}

function argument(event: unknown, pointer: Pointer, key: string): LocatedText | null {
  const text = getString(getObject(event, 'args'), key);
  return text ? { text, pointer: `${pointer}/args/${key}` } : null;
}

/** A text of an agent without an action, or with its final action. */
function closingText(event: unknown, pointer: Pointer): LocatedText | null {
  for (const key of ['content', 'final_thought', 'thought'] as const) {
    const text = argument(event, pointer, key);
    if (text) return text;
  }
  const text = getString(event, 'message');
  return text ? { text, pointer: `${pointer}/message` } : null;
}

/** A command that is still running. */
const RUNNING = -1;

/**
 * The outcome by the format's own flags: an error observation, or the exit code of a command, which determines its
 * `success`. Otherwise the content is checked.
 */
function outcomeOf(event: unknown, observation: string): Exclude<ToolOutcome, 'missing'> | undefined {
  if (observation === 'user_rejected') return 'rejected';
  if (observation === 'error') return 'error';
  const extras = getObject(event, 'extras');
  const code = getNumber(getObject(extras, 'metadata'), 'exit_code') ?? getNumber(extras, 'exit_code');
  if (code === undefined || code === RUNNING) return undefined;
  return code === 0 ? 'ok' : 'error';
}
