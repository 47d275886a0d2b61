import type { JsonObject } from '../../../core/json.ts';
import type {
  ModelStep,
  Pointer,
  RetrievalStep,
  Step,
  TokenUsage,
  ToolOutcome,
  ToolStep,
  Turn,
} from '../../../core/session.ts';
import { UniqueIds } from '../../ids.ts';
import type { Problems } from '../../problems.ts';
import { errorOf, jsonText } from '../../values.ts';
import { type OpenCall, PendingCalls } from './pending-calls.ts';

/**
 * The common form of all chat dialects. A dialect locates its messages, calls and results; {@link buildConversation}
 * turns them into turns. Texts are shared with the document, never copied.
 */
export type Message = SystemMessage | UserMessage | AgentMessage | ResultMessage | SubAgentMessage;

interface MessageBase {
  readonly pointer: Pointer;
  /** ISO 8601. */
  readonly at?: string;
  /** The end of the work that began at `at`, if both were recorded. */
  readonly endedAt?: string;
  /** The turn's id in the file. A message with another id starts a new turn. */
  readonly turn?: string;
}

/** A text and its location in the file. */
export interface LocatedText {
  readonly text: string;
  readonly pointer: Pointer;
}

/** Joins the texts of a list: a single text keeps its location, several become lines with the location of the list. */
export function joinTexts(texts: readonly LocatedText[], list: Pointer): LocatedText | null {
  const [first] = texts;
  if (!first || texts.length === 1) return first ?? null;
  return { text: texts.map(({ text }) => text).join('\n'), pointer: list };
}

/** Instructions, at any position in the conversation. */
export interface SystemMessage extends MessageBase {
  readonly role: 'system';
  readonly content: LocatedText;
}

export interface UserMessage extends MessageBase {
  readonly role: 'user';
  /** Null if it has no text, for example an image. */
  readonly content: LocatedText | null;
  /** The calls of a simulated user, which belong to the turn that the user starts and are not the agent's. */
  readonly calls?: readonly RequestedCall[];
}

/** One model answer, with the calls that it requests. */
export interface AgentMessage extends MessageBase {
  readonly role: 'agent';
  readonly content: LocatedText | null;
  /** The text for the user, if it is not the content; null for a message to another agent. */
  readonly answer?: LocatedText | null;
  readonly reasoning?: string;
  readonly calls: readonly RequestedCall[];
  readonly model?: string;
  readonly finishReason?: string;
  readonly speaker?: string;
  readonly usage?: TokenUsage;
  /** The error of the model call itself. */
  readonly error?: string;
}

/** A requested tool call. */
export interface RequestedCall {
  readonly pointer: Pointer;
  readonly id?: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
  /** ISO 8601, if the call was requested at another time than the message. */
  readonly at?: string;
}

/** The result of a tool. */
export interface ResultMessage extends MessageBase {
  readonly role: 'result';
  /** The id of the call. Without one, results are matched by name and order. */
  readonly call?: string;
  readonly name?: string;
  readonly value: unknown;
  readonly valuePointer: Pointer;
  /** The outcome by the dialect's own flag. Without one, the content of the result is checked. */
  readonly outcome?: Exclude<ToolOutcome, 'missing'>;
  /** The error message, if it is not part of the value. */
  readonly error?: string;
  /** From the history of a later request. The result counts only if it is not known yet. */
  readonly repeated?: boolean;
}

/** The work of a sub-agent. Its turns belong to the step that called it. */
export interface SubAgentMessage extends MessageBase {
  readonly role: 'sub-agent';
  readonly id?: string;
  readonly name: string;
  readonly turns: readonly Turn[];
}

/** What traces record in addition to messages: executed work and its results. */
export type RecordedEvent = ExecutionMessage | RetrievalMessage | AnswerMessage;

/** A tool execution. It completes the call that requested it, or stands alone if no model's request was recorded. */
export interface ExecutionMessage extends MessageBase {
  readonly role: 'execution';
  /** The id of the call. */
  readonly call?: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
  readonly value?: unknown;
  readonly valuePointer?: Pointer;
  /** The error message. Without one, the content of the result is checked. */
  readonly error?: string;
  readonly outcome?: Exclude<ToolOutcome, 'missing'>;
  readonly speaker?: string;
}

export interface RetrievalMessage extends MessageBase {
  readonly role: 'retrieval';
  readonly step: RetrievalStep;
}

/**
 * The answer to the user, if it was recorded apart from the texts of models; null if only the end of the work was
 * recorded.
 */
export interface AnswerMessage extends MessageBase {
  readonly role: 'answer';
  readonly content: LocatedText | null;
  /** The pointer leads to the text itself, not to JSON around it. */
  readonly isExact?: boolean;
}

export interface Conversation {
  /** All instructions in order, separated by blank lines. */
  readonly system: string | undefined;
  /** Of the first instructions. */
  readonly systemPointer: Pointer | undefined;
  readonly turns: readonly Turn[];
}

/**
 * Splits messages into turns. A turn starts with a user message. Agent text before the first one is a turn with
 * `input: null`, and consecutive user messages are one turn. Calls are matched with their results by id, or by order
 * if ids are missing or reused. A call without a result stays `missing`.
 */
export function buildConversation(messages: Iterable<Message | RecordedEvent>, problems: Problems): Conversation {
  const conversation = new ConversationBuilder(problems);
  for (const message of messages) conversation.add(message);
  const { system, systemPointer, turns } = conversation;
  return { system, systemPointer, turns };
}

type OpenTurn = { -readonly [Key in keyof Turn]: Turn[Key] } & { readonly steps: Step[] };

class ConversationBuilder {
  readonly turns: Turn[] = [];
  system: string | undefined;
  systemPointer: Pointer | undefined;

  readonly #problems: Problems;
  readonly #ids = new UniqueIds();
  #turn: OpenTurn | null = null;
  /** The next user message starts a new turn. */
  #answered = false;
  /** The latest end that a message of the open turn recorded. */
  #recordedEnd: string | undefined;
  /** The file's own id of the open turn. */
  #key: string | undefined;
  readonly #pending = new PendingCalls();
  /** Calls of the open turn that ran before their request was read, by id. Clocks of different machines differ. */
  readonly #executed = new Map<string, OpenCall>();
  /** Calls that ran but whose results were not recorded with them, by id. The model's next request may contain them. */
  readonly #executedWithoutResult = new Map<string, OpenCall>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  add(message: Message | RecordedEvent): void {
    switch (message.role) {
      case 'system':
        this.systemPointer ??= message.content.pointer;
        this.system = this.system === undefined ? message.content.text : `${this.system}\n\n${message.content.text}`;
        return;
      case 'user':
        this.#addUser(message);
        break;
      case 'agent':
        this.#addAgent(message);
        break;
      case 'result':
        this.#addResult(message);
        break;
      case 'sub-agent':
        this.#addSubAgent(message);
        break;
      case 'execution':
        this.#addExecution(message);
        break;
      case 'retrieval':
        this.#turnFor(message).steps.push(message.step);
        this.#answered = true;
        break;
      case 'answer':
        this.#addAnswer(message);
        break;
    }
    if (message.at !== undefined && this.#turn) {
      this.#turn.startedAt ??= message.at;
      this.#turn.endedAt = this.#endAfter(this.#turn.endedAt, message);
    }
  }

  /** The end of the open turn: its latest recorded end, which a message without one does not set back. */
  #endAfter(end: string | undefined, { at, endedAt }: MessageBase): string | undefined {
    if (endedAt !== undefined) {
      this.#recordedEnd = laterTime(this.#recordedEnd, endedAt);
      return laterTime(end, endedAt);
    }
    return this.#recordedEnd === undefined || at === undefined ? at : laterTime(this.#recordedEnd, at);
  }

  #addUser(message: UserMessage): void {
    const text = message.content?.text ?? '';
    const turn = this.#turn;
    if (!turn || this.#answered || this.#isOfAnotherTurn(message)) {
      this.#open(message, text, message.content?.pointer);
    } else if (text !== '') {
      turn.input = turn.input ? `${turn.input}\n\n${text}` : text;
      turn.inputPointer ??= message.content?.pointer;
    }
    this.#request(message, 'user');
  }

  #addAgent(message: AgentMessage): void {
    const { content, reasoning, calls, error } = message;
    const spoke = content !== null && /\S/.test(content.text);
    if (!this.#turn || this.#isOfAnotherTurn(message)) {
      if (!spoke && calls.length === 0 && reasoning === undefined && error === undefined) return;
      this.#open(message, null, undefined);
    }
    const turn = this.#turn;
    if (!turn) return;
    this.#answered = true;
    turn.steps.push(modelStep(message));
    const answer = message.answer === undefined ? content : message.answer;
    if (answer !== null && /\S/.test(answer.text)) {
      turn.output = answer.text;
      turn.outputPointer = answer.pointer;
    }
    this.#request(message, 'agent');
  }

  #request(message: UserMessage | AgentMessage, requestedBy: ToolStep['requestedBy']): void {
    for (const call of message.calls ?? []) {
      if (call.id && this.#applyRequest(call.id, call)) continue;
      const step: OpenCall = {
        type: 'tool',
        pointer: call.pointer,
        id: call.id,
        name: call.name,
        arguments: call.arguments,
        outcome: 'missing',
        requestedBy,
        speaker: message.role === 'agent' ? message.speaker : undefined,
        startedAt: call.at ?? message.endedAt ?? message.at,
      };
      this.#turn?.steps.push(step);
      this.#pending.add(step);
    }
  }

  /** Applies a request to a call that has already run. */
  #applyRequest(id: string, { pointer, arguments: args }: RequestedCall): boolean {
    const step = this.#executed.get(id);
    if (!step) return false;
    this.#executed.delete(id);
    Object.assign(step, { pointer, arguments: args });
    return true;
  }

  #addResult(message: ResultMessage): void {
    const call = message.repeated
      ? this.#pending.takeRequest(message.call, message.call ? undefined : message.name)
      : this.#pending.take(message.call, message.name);
    if (!call) {
      if (message.repeated) {
        this.#completeExecution(message);
        return;
      }
      const which = message.name === undefined ? 'Tool result' : `Result of "${message.name}"`;
      this.#problems.warn(
        'result-without-call',
        message.pointer,
        `${which} skipped: it matches no call of this conversation. Check the ids of calls and results.`,
      );
      return;
    }
    const error = message.outcome === 'ok' ? undefined : (message.error ?? errorOf(message.value));
    call.resultPointer = message.valuePointer;
    if (message.value !== undefined) call.result = message.value;
    call.outcome = message.outcome ?? (error === undefined ? 'ok' : 'error');
    if (call.outcome === 'error') call.error = error ?? resultText(message.value);
    call.endedAt = message.at;
  }

  /** Completes an executed call with its result in the history of a later request. */
  #completeExecution(message: ResultMessage): void {
    const call = this.#executedWithoutResult.get(message.call ?? '');
    if (!call || message.value === undefined) return;
    this.#executedWithoutResult.delete(message.call ?? '');
    call.result = message.value;
    call.resultPointer = message.valuePointer;
    if (call.outcome !== 'ok') return;
    const error = message.outcome === 'ok' ? undefined : (message.error ?? errorOf(message.value));
    call.outcome = message.outcome ?? (error === undefined ? 'ok' : 'error');
    if (call.outcome === 'error') call.error = error ?? resultText(message.value);
  }

  #addSubAgent(message: SubAgentMessage): void {
    const { pointer, id, name, turns } = message;
    this.#turnFor(message).steps.push({ type: 'agent', pointer, id, name, turns });
    this.#answered = true;
  }

  #addExecution(message: ExecutionMessage): void {
    const { call: id, name, arguments: args, pointer, at: startedAt, endedAt } = message;
    const error = message.outcome === 'ok' ? undefined : (message.error ?? errorOf(message.value));
    const outcome = message.outcome ?? (error === undefined ? 'ok' : 'error');
    const ran = {
      result: message.value,
      resultPointer: message.value === undefined ? undefined : message.valuePointer,
      outcome,
      error: outcome === 'error' ? (error ?? resultText(message.value)) : undefined,
      startedAt,
      endedAt,
    };
    const request = this.#pending.takeRequest(id, name, args);
    const { speaker } = message;
    const step: OpenCall = request ?? {
      type: 'tool',
      pointer,
      id,
      name,
      arguments: args,
      requestedBy: 'agent',
      speaker,
      outcome,
    };
    Object.assign(step, ran);
    if (!request) {
      this.#turnFor(message).steps.push(step);
      this.#answered = true;
      if (id) this.#executed.set(id, step);
    }
    if (message.value === undefined && step.id) this.#executedWithoutResult.set(step.id, step);
  }

  #addAnswer(message: AnswerMessage): void {
    const { content } = message;
    if (content === null || !/\S/.test(content.text)) return;
    const turn = this.#turnFor(message);
    this.#answered = true;
    // The model's own message may have the same text at a more precise location, and frameworks add a line break.
    const isSame = turn.output?.trim() === content.text.trim();
    if (isSame && (!message.isExact || turn.output !== content.text)) return;
    turn.output = content.text;
    turn.outputPointer = content.pointer;
  }

  /** The turn of a message; opens a new one if it is not the open turn. */
  #turnFor(message: Message | RecordedEvent): OpenTurn {
    if (this.#turn && !this.#isOfAnotherTurn(message)) return this.#turn;
    return this.#open(message, null, undefined);
  }

  #isOfAnotherTurn(message: Message | RecordedEvent): boolean {
    return message.turn !== undefined && message.turn !== this.#key;
  }

  #open(message: Message | RecordedEvent, input: string | null, inputPointer: Pointer | undefined): OpenTurn {
    this.#pending.nextTurn();
    this.#executed.clear();
    this.#answered = false;
    this.#recordedEnd = undefined;
    const counted = `t${this.turns.length + 1}`;
    const own = this.#isOfAnotherTurn(message) ? message.turn : undefined;
    if (message.turn !== undefined) this.#key = message.turn;
    this.#turn = {
      id: message.turn === undefined ? counted : this.#ids.claim(own || counted),
      pointer: message.pointer,
      input,
      inputPointer,
      output: null,
      steps: [],
    };
    this.turns.push(this.#turn);
    return this.#turn;
  }
}

function laterTime(time: string | undefined, other: string): string {
  return time === undefined || Date.parse(other) >= Date.parse(time) ? other : time;
}

/** A result as text. */
function resultText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? undefined : jsonText(value) || undefined;
}

function modelStep(message: AgentMessage): ModelStep {
  return {
    type: 'model',
    pointer: message.pointer,
    text: message.content?.text,
    reasoning: message.reasoning,
    model: message.model,
    finishReason: message.finishReason,
    speaker: message.speaker,
    usage: message.usage,
    error: message.error,
    // If the end was recorded, the time of the message is its start.
    startedAt: message.endedAt === undefined ? undefined : message.at,
    endedAt: message.endedAt,
  };
}
