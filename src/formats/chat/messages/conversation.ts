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
 * What every chat dialect comes down to. A dialect says where its messages, calls and results stand;
 * `conversationOf` makes turns of them. Texts are shared with the document, never copied.
 */
export type Message = SystemMessage | UserMessage | AgentMessage | ResultMessage | SubAgentMessage;

interface MessageBase {
  readonly pointer: Pointer;
  /** ISO 8601. */
  readonly at?: string;
  /** When what began at `at` ended: of work that was recorded with both. */
  readonly endedAt?: string;
  /** Id of the turn in the file's own division: a message of another turn starts a new one. */
  readonly turn?: string;
}

/** A text of the file and where it stands. */
export interface LocatedText {
  readonly text: string;
  readonly pointer: Pointer;
}

/** The texts of a list as one: the only one as it stands, several as lines, which the list stands for. */
export function joinTexts(texts: readonly LocatedText[], list: Pointer): LocatedText | null {
  const [first] = texts;
  if (!first || texts.length === 1) return first ?? null;
  return { text: texts.map(({ text }) => text).join('\n'), pointer: list };
}

/** Instructions, wherever in the conversation they stand. */
export interface SystemMessage extends MessageBase {
  readonly role: 'system';
  readonly content: LocatedText;
}

export interface UserMessage extends MessageBase {
  readonly role: 'user';
  /** Null: it has no text (an image, say). */
  readonly content: LocatedText | null;
  /** A simulated user's own: they belong to the turn that the user starts, and are not the agent's. */
  readonly calls?: readonly RequestedCall[];
}

/** One answer of a model, with the calls that it requests. */
export interface AgentMessage extends MessageBase {
  readonly role: 'agent';
  readonly content: LocatedText | null;
  /** What of it the user gets, where that is not its content; null when it speaks to another agent. */
  readonly answer?: LocatedText | null;
  readonly reasoning?: string;
  readonly calls: readonly RequestedCall[];
  readonly model?: string;
  readonly finishReason?: string;
  readonly speaker?: string;
  readonly usage?: TokenUsage;
  /** Of the model call itself. */
  readonly error?: string;
}

/** A requested tool call. */
export interface RequestedCall {
  readonly pointer: Pointer;
  readonly id?: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
  /** ISO 8601, where it was requested at another time than the message has. */
  readonly at?: string;
}

/** What a tool gave back. */
export interface ResultMessage extends MessageBase {
  readonly role: 'result';
  /** Id of the call that it answers; without one it is paired by name and order. */
  readonly call?: string;
  readonly name?: string;
  readonly value: unknown;
  readonly valuePointer: Pointer;
  /** What the dialect's own flag says; without one the result's content is looked at. */
  readonly outcome?: Exclude<ToolOutcome, 'missing'>;
  /** What the dialect says of the failure, apart from the value. */
  readonly error?: string;
  /** From the history of a later request: the result may be known already, and counts only where it is not. */
  readonly repeated?: boolean;
}

/** What a sub-agent did: its turns belong to the step that called it. */
export interface SubAgentMessage extends MessageBase {
  readonly role: 'sub-agent';
  readonly id?: string;
  readonly name: string;
  readonly turns: readonly Turn[];
}

/** What traces record beside the messages: work that ran, and what came of it. */
export type RecordedEvent = ExecutionMessage | RetrievalMessage | AnswerMessage;

/** A tool that ran. It completes the call that requested it, and is one by itself where no model's request shows. */
export interface ExecutionMessage extends MessageBase {
  readonly role: 'execution';
  /** Id of the call. */
  readonly call?: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
  readonly value?: unknown;
  readonly valuePointer?: Pointer;
  /** What it said when it failed; without one the result's content is looked at. */
  readonly error?: string;
  readonly outcome?: Exclude<ToolOutcome, 'missing'>;
  readonly speaker?: string;
}

export interface RetrievalMessage extends MessageBase {
  readonly role: 'retrieval';
  readonly step: RetrievalStep;
}

/** What the user got, where that is recorded apart from what the models said; null: only that the work ended. */
export interface AnswerMessage extends MessageBase {
  readonly role: 'answer';
  readonly content: LocatedText | null;
  /** The pointer leads to the text itself, and not to JSON around it. */
  readonly isExact?: boolean;
}

export interface Conversation {
  /** All instructions, in order, a blank line between. */
  readonly system: string | undefined;
  /** Of the first of them. */
  readonly systemPointer: Pointer | undefined;
  readonly turns: readonly Turn[];
}

/**
 * Splits messages into turns. A turn starts with a user message; agent text before the first one is a turn with
 * `input: null`; user messages with no answer between them are one. Requested calls and their results are united by
 * id, and by order where ids are missing or reused; a call without a result stays `missing`.
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
  /** A user message now starts another turn. */
  #answered = false;
  /** The file's own id of the open turn. */
  #key: string | undefined;
  readonly #pending = new PendingCalls();
  /** Of the open turn: calls that ran before their request was read, by id. Clocks differ between machines. */
  readonly #ran = new Map<string, OpenCall>();
  /** Calls that ran, by id, whose result was not recorded with that: the model's next request may hold it. */
  readonly #silent = new Map<string, OpenCall>();

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
      this.#turn.endedAt = laterEnd(this.#turn.endedAt, message);
    }
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
      if (call.id && this.#adopt(call.id, call)) continue;
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

  /** The request of a call that has run already. */
  #adopt(id: string, { pointer, arguments: given }: RequestedCall): boolean {
    const step = this.#ran.get(id);
    if (!step) return false;
    this.#ran.delete(id);
    Object.assign(step, { pointer, arguments: given });
    return true;
  }

  #addResult(message: ResultMessage): void {
    const call = message.repeated
      ? this.#pending.takeRequest(message.call, message.call ? undefined : message.name)
      : this.#pending.take(message.call, message.name);
    if (!call) {
      if (message.repeated) {
        this.#complete(message);
        return;
      }
      const which = message.name === undefined ? 'A tool result' : `A result of "${message.name}"`;
      this.#problems.warn(
        'result-without-call',
        message.pointer,
        `${which} answers no call of this conversation; it is left out. Check the ids of calls and results.`,
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

  /** What a call that ran gave back, from the history of a later request. */
  #complete(message: ResultMessage): void {
    const call = this.#silent.get(message.call ?? '');
    if (!call || message.value === undefined) return;
    this.#silent.delete(message.call ?? '');
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
    const { call: id, name, arguments: given, pointer, at: startedAt, endedAt } = message;
    const found = message.outcome === 'ok' ? undefined : (message.error ?? errorOf(message.value));
    const outcome = message.outcome ?? (found === undefined ? 'ok' : 'error');
    const ran = {
      result: message.value,
      resultPointer: message.value === undefined ? undefined : message.valuePointer,
      outcome,
      error: outcome === 'error' ? (found ?? resultText(message.value)) : undefined,
      startedAt,
      endedAt,
    };
    const request = this.#pending.takeRequest(id, name, given);
    const { speaker } = message;
    const step: OpenCall = request ?? {
      type: 'tool',
      pointer,
      id,
      name,
      arguments: given,
      requestedBy: 'agent',
      speaker,
      outcome,
    };
    Object.assign(step, ran);
    if (!request) {
      this.#turnFor(message).steps.push(step);
      this.#answered = true;
      if (id) this.#ran.set(id, step);
    }
    if (message.value === undefined && step.id) this.#silent.set(step.id, step);
  }

  #addAnswer(message: AnswerMessage): void {
    const { content } = message;
    if (content === null || !/\S/.test(content.text)) return;
    const turn = this.#turnFor(message);
    this.#answered = true;
    // The model that said the same may stand closer to it, and frameworks add a line break.
    const isSame = turn.output?.trim() === content.text.trim();
    if (isSame && (!message.isExact || turn.output !== content.text)) return;
    turn.output = content.text;
    turn.outputPointer = content.pointer;
  }

  /** The turn that a message belongs to, opened where it is not the open one. */
  #turnFor(message: Message | RecordedEvent): OpenTurn {
    if (this.#turn && !this.#isOfAnotherTurn(message)) return this.#turn;
    return this.#open(message, null, undefined);
  }

  #isOfAnotherTurn(message: Message | RecordedEvent): boolean {
    return message.turn !== undefined && message.turn !== this.#key;
  }

  #open(message: Message | RecordedEvent, input: string | null, inputPointer: Pointer | undefined): OpenTurn {
    this.#pending.nextTurn();
    this.#ran.clear();
    this.#answered = false;
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

/** The end of a turn that a message belongs to: of what was recorded with its end, the latest. */
function laterEnd(end: string | undefined, { at, endedAt }: MessageBase): string | undefined {
  if (endedAt === undefined) return at;
  return end === undefined || Date.parse(endedAt) >= Date.parse(end) ? endedAt : end;
}

/** What a tool said, as text. */
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
    // The time of a message is that of its end.
    startedAt: message.endedAt === undefined ? undefined : message.at,
    endedAt: message.endedAt,
  };
}
