import type { Pointer, Tool, Turn } from '../../core/session.ts';
import {
  type AgentMessage,
  buildConversation,
  joinTexts,
  type Message,
  type RecordedEvent,
  type RequestedCall,
  type SubAgentMessage,
  type UserMessage,
} from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { inputMessages, outputMessages } from './content.ts';
import { importedScores, spanScores } from './scores.ts';
import type { SpanNode } from './span-tree.ts';
import { type TurnRecord, TurnRegistry } from './turn-registry.ts';

/** One trace of a conversation: the work of its agents, from the top and in order of time. */
export interface SpanTrace {
  readonly id: string;
  readonly nodes: readonly SpanNode[];
}

export interface WalkResult {
  readonly system: string | undefined;
  /** The catalogue of the first turn that has one. A turn with another catalogue has its own. */
  readonly tools: readonly Tool[] | undefined;
  readonly turns: readonly Turn[];
}

/**
 * Creates the turns of a conversation that was recorded in one or more traces, in order of time.
 *
 * A trace is a turn: it starts with the user messages at the end of its first model's history, or with the input of
 * its agent. Earlier messages in the history that no trace has shown become turns of their own; known ones are not
 * repeated. Agents that a tool or another agent calls with a task of their own are steps with turns of their own.
 */
export function walkTraces(traces: Iterable<SpanTrace>, problems: Problems): WalkResult {
  const walker = new TraceWalker(problems);
  const { system, turns } = buildConversation(walker.messages(traces), problems);
  return { system, ...walker.registry.finish(turns, problems) };
}

type WalkEvent = Message | RecordedEvent;

/** The turn and the role of an agent, or of a model without an agent. */
interface AgentRun {
  readonly record: TurnRecord;
  readonly speaker: string | undefined;
  /** Its texts are not for the user. */
  readonly isAside: boolean;
  /** It runs inside an agent, not just a program. */
  readonly inAgent: boolean;
}

/** A user whose message was not recorded. */
const UNRECORDED_USER: Omit<UserMessage, 'pointer'> = { role: 'user', content: null };

class TraceWalker {
  readonly registry = new TurnRegistry();
  readonly #problems: Problems;
  /** The texts of all users so far, in every wording. */
  readonly #userTexts = new Set<string>();
  #record: TurnRecord | undefined;
  #trace: SpanTrace | undefined;
  #hasInstructions = false;
  /** The number of user messages in the history with which the open turn began, and the last one. */
  #userCount = 0;
  #lastUser: string | undefined;
  /** The number of requested calls whose results no span has shown, and the requests of the last answer. */
  #pendingCalls = 0;
  #requested: readonly RequestedCall[] = [];

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  *messages(traces: Iterable<SpanTrace>): Generator<WalkEvent> {
    for (const trace of traces) {
      // The user's message comes first, even if another span started before it.
      const lead = trace.nodes.find((work) => firstInput(work).some(isUser)) ?? trace.nodes[0];
      const run = lead && (yield* this.#openTurn(lead, trace));
      for (const node of trace.nodes) {
        yield* this.#walkRoot(node, node === lead && run ? run : yield* this.#openTurn(node, trace));
      }
    }
  }

  /** Walks a span at the top of a trace: an agent, a program around agents, or a model or tool on its own. */
  *#walkRoot(node: SpanNode, run: AgentRun): Generator<WalkEvent> {
    const { kind, span } = node.classified;
    if (kind === 'agent' || kind === 'chain') {
      this.#recordDetails(node, run);
      if (!firstModel(node)) yield* this.#requestsFromOutput(node, run);
      yield* this.#walkChildren(node.children, run);
      yield* this.#walkEnd(node, run);
    } else {
      yield* this.#walkChildren([node], run);
    }
    const { pointer, startedAt: at, endedAt } = span;
    if (!run.isAside) yield { role: 'answer', pointer, content: null, at, endedAt, turn: run.record.id };
  }

  /** Emits what is new in the input of the agent or its first model, and finds its turn. */
  *#openTurn(node: SpanNode, trace: SpanTrace): Generator<WalkEvent, AgentRun> {
    const { kind } = node.classified;
    const inAgent = kind === 'agent';
    const model = firstModel(node);
    const history = model?.input ?? [];
    const input = inAgent || kind === 'chain' ? this.#inputOf(node, history) : [];
    const base = input.some(isUser) ? input : history;
    const fullHistory = input.some(isAgent) ? input : history;
    const { past, ongoing, users } = splitHistory(fullHistory, lastUsers(base), !this.#record);
    const lastKnown = past.findLastIndex((message) => this.#isKnown(message));
    const isAligned = lastKnown >= 0 || users.some((message) => this.#isKnown(message));
    const isFirst = this.#trace !== trace;
    this.#trace = trace;

    // OpenAI's responses repeat the instructions of their requests.
    yield* this.#instructions([...input, ...history, ...(model?.output ?? [])]);
    const isNew = isFirst || (isAligned && past.some(isAgent) && this.#isNewUser(fullHistory, users));
    if (isNew) yield* this.#walkEarlierTurns(past, lastKnown, trace);
    // A history that ends with results continues the turn it shows.
    if (!this.#record || (isNew && (users.length > 0 || !isAligned))) {
      const { pointer, startedAt: at } = node.classified.span;
      this.#record = this.registry.open(trace.id, pointer);
      for (const message of users.length > 0 ? users : [UNRECORDED_USER])
        yield { ...message, pointer, at, turn: this.#record.id };
      for (const message of ongoing) yield { ...message, turn: this.#record.id };
      this.#userCount = fullHistory.filter(isUser).length;
      this.#lastUser = textOf(users.at(-1));
    }
    for (const message of [...users, ...lastUsers(history)]) this.#rememberUserText(message);
    const record = this.#record;
    record.hasInput ||= base.length > 0;
    record.isFromUser ||= users.length > 0;
    // A second model at the top without a user message writes a title for the chat, or checks it.
    const aside = !isFirst && !isAligned && !inAgent;
    return { record, speaker: inAgent ? node.agent : undefined, isAside: aside, inAgent };
  }

  /** The input of an agent or a program: messages or a text, or else its arguments if no model shows a user message. */
  #inputOf({ input, classified }: SpanNode, history: readonly Message[]): readonly Message[] {
    if (input.length > 0 || history.some(isUser)) return input;
    return inputMessages(classified.dialect.raw(classified.span).input, this.#problems, true);
  }

  #rememberUserText(message: UserMessage): void {
    const text = textOf(message);
    if (text !== '') this.#userTexts.add(text);
  }

  #isNewUser(history: readonly Message[], users: readonly UserMessage[]): boolean {
    const last = users.at(-1);
    return last !== undefined && (history.filter(isUser).length > this.#userCount || textOf(last) !== this.#lastUser);
  }

  *#instructions(messages: readonly Message[]): Generator<WalkEvent> {
    if (this.#hasInstructions) return;
    const system = new Map(
      messages.flatMap((message) => (message.role === 'system' ? [[textOf(message), message]] : [])),
    );
    this.#hasInstructions = system.size > 0;
    yield* system.values();
  }

  /** Emits the part of a history that no trace has shown, as turns before the one of the trace. */
  *#walkEarlierTurns(past: readonly Message[], lastKnown: number, trace: SpanTrace): Generator<WalkEvent> {
    if (lastKnown < 0 && this.#record) return;
    let turn: string | undefined;
    let wasUser = false;
    for (const message of past.slice(lastKnown + 1)) {
      if (message.role === 'system') continue;
      const isFromUser = isUser(message);
      if (isFromUser ? !wasUser : turn === undefined && lastKnown < 0) {
        this.#record = this.registry.openEarlier(trace.id, message.pointer);
        turn = this.#record.id;
      }
      wasUser = isFromUser;
      if (isFromUser) this.#rememberUserText(message);
      if (turn !== undefined) yield { ...message, turn };
      else yield* this.#completeKnownTurn(message);
    }
  }

  /** Adds results and final texts that a known turn lacks. */
  *#completeKnownTurn(message: Message): Generator<WalkEvent> {
    const record = this.#record;
    if (message.role === 'result') {
      yield { ...message, repeated: true };
    } else if (isAgent(message) && record && !record.hasModelText && hasText(message)) {
      record.hasOutput = true;
      yield { ...message, calls: [], turn: record.id };
    }
  }

  *#walkChildren(nodes: readonly SpanNode[], run: AgentRun): Generator<WalkEvent> {
    for (const node of nodes) {
      switch (node.classified.kind) {
        case 'model':
          yield* this.#model(node, run);
          break;
        case 'tool':
          yield* this.#tool(node, run);
          break;
        case 'retrieval':
          yield this.#retrieval(node, run);
          break;
        default:
          yield* this.#agent(node, run);
      }
    }
  }

  *#model(node: SpanNode, run: AgentRun): Generator<WalkEvent> {
    const { dialect, span } = node.classified;
    if (this.#pendingCalls > 0) yield* this.#results(node.input);
    const { record, speaker, isAside } = run;
    const answers = node.output.filter(isAgent);
    const { model, finishReason, usage } = dialect.details(span);
    const answer = mergeAnswers(answers, span.pointer);
    yield {
      ...answer,
      pointer: span.pointer,
      at: span.startedAt,
      endedAt: span.endedAt,
      turn: record.id,
      speaker: answer.speaker ?? speaker,
      model: model ?? answer.model,
      finishReason: finishReason ?? answer.finishReason,
      usage: usage ?? answer.usage,
      error: span.error ?? answer.error,
      ...(isAside && { answer: null }),
    };
    for (const message of node.output) if (message.role === 'result') yield message;
    this.#request(answer.calls);
    if (isAside) return;
    record.hasOutput ||= answers.length > 0 || span.error !== undefined;
    record.hasModelText ||= hasText(answer);
    this.#recordDetails(node, run);
  }

  #request(calls: readonly RequestedCall[]): void {
    this.#pendingCalls += calls.length;
    this.#requested = calls;
  }

  /** Emits the results at the end of a history, for calls whose results no span shows. */
  *#results(history: readonly Message[]): Generator<WalkEvent> {
    const results = history.slice(history.findLastIndex(isAgent) + 1).filter((message) => message.role === 'result');
    const inOrder = results.length === this.#requested.length ? this.#requested : [];
    for (const [index, result] of results.entries()) {
      const call = result.call ?? inOrder[index]?.id;
      yield { ...result, call, name: result.name ?? inOrder[index]?.name, repeated: true };
    }
    this.#pendingCalls = Math.max(0, this.#pendingCalls - results.length);
  }

  *#tool(node: SpanNode, run: AgentRun): Generator<WalkEvent> {
    const { dialect, span } = node.classified;
    const { pointer, startedAt: at, endedAt } = span;
    const { record, speaker } = run;
    const execution = dialect.execution(span, this.#problems);
    yield { role: 'execution', ...execution, pointer, at, endedAt, turn: record.id, speaker };
    // If no result was recorded with the run, the history of the next request may contain it.
    if (execution.value !== undefined) this.#pendingCalls = Math.max(0, this.#pendingCalls - 1);
    const agents = node.children.filter(({ classified }) => classified.kind === 'agent');
    for (const agent of agents) yield this.#subAgent([agent], agent.name, run);
    const others = node.children.filter(({ classified }) => classified.kind !== 'agent');
    if (others.some(({ classified }) => classified.kind === 'model')) yield this.#subAgent(others, execution.name, run);
    else yield* this.#walkChildren(others, run);
  }

  #retrieval({ classified: { dialect, span } }: SpanNode, { record }: AgentRun): RecordedEvent {
    const { pointer, startedAt: at, endedAt } = span;
    const step = { type: 'retrieval' as const, pointer, ...dialect.retrieval(span) };
    return { role: 'retrieval', pointer, at, endedAt, turn: record.id, step };
  }

  /** Walks an agent below another: one with a task of its own, or one that continues the conversation. */
  *#agent(node: SpanNode, run: AgentRun): Generator<WalkEvent> {
    if (run.inAgent && this.#hasOwnTask(node)) {
      yield this.#subAgent([node], node.name, run);
    } else {
      this.#recordDetails(node, run);
      yield* this.#walkChildren(node.children, { ...run, speaker: node.agent ?? run.speaker, inAgent: true });
    }
  }

  #hasOwnTask(node: SpanNode): boolean {
    const users = (firstModel(node) ?? node).input.filter(isUser);
    return users.length > 0 && !users.some((message) => this.#isKnown(message));
  }

  #isKnown(message: Message): boolean {
    return isUser(message) && this.#userTexts.has(textOf(message));
  }

  #subAgent(nodes: readonly SpanNode[], name: string, { record }: AgentRun): SubAgentMessage {
    const span = nodes[0]?.classified.span;
    const { turns } = walkTraces([{ id: span?.spanId || name, nodes }], this.#problems);
    return { role: 'sub-agent', pointer: span?.pointer ?? record.pointer, name, turns, turn: record.id };
  }

  /** An agent whose model was not recorded may have recorded the model's requests itself. */
  *#requestsFromOutput(node: SpanNode, { record, speaker }: AgentRun): Generator<WalkEvent> {
    const answers = afterLastUser(node.output).filter(isAgent);
    if (!answers.some(({ calls }) => calls.length > 0)) return;
    for (const answer of answers) yield { ...answer, turn: record.id, speaker };
    this.#request(answers.flatMap(({ calls }) => calls));
  }

  /** Emits the output of an agent or a program, unless it is known. */
  *#walkEnd(node: SpanNode, { record, isAside }: AgentRun): Generator<WalkEvent> {
    const { span } = node.classified;
    const returned = afterLastUser(node.output);
    if (this.#pendingCalls > 0) yield* this.#results(returned.filter(({ role }) => role === 'result'));
    const answers = returned.filter(isAgent);
    const ownAnswer = answers.findLast(({ content }) => content !== null);
    const answer = ownAnswer ?? (record.hasModelText ? undefined : this.#anyOutput(node));
    const { pointer, startedAt: at, endedAt } = span;
    const isExact =
      answer?.content?.pointer !== node.classified.dialect.raw(span).output?.pointer || isText(node, answer);
    if (answer && !isAside) {
      yield { role: 'answer', content: answer.content, isExact, pointer, at, endedAt, turn: record.id };
    }
    record.hasOutput ||= answer !== undefined || answers.length > 0 || span.error !== undefined;
  }

  /** The output of a program around agents, in any form. */
  #anyOutput({ classified: { dialect, span } }: SpanNode): AgentMessage | undefined {
    return outputMessages(dialect.raw(span).output, this.#problems, true).find(isAgent);
  }

  #recordDetails({ classified: { dialect, span } }: SpanNode, { record, isAside }: AgentRun): void {
    if (isAside) return;
    for (const tool of dialect.tools(span) ?? []) record.tools.set(tool.name, tool);
    const scores = importedScores(spanScores(span));
    // The score of the whole takes precedence over that of a part.
    if (scores) record.scores = { ...scores, ...record.scores };
  }
}

/** The first input that shows the user's request. */
function firstInput(node: SpanNode): readonly Message[] {
  const { kind } = node.classified;
  const input = kind === 'agent' || kind === 'chain' ? node.input : [];
  return input.some(isUser) ? input : (firstModel(node)?.input ?? []);
}

/**
 * Splits a history into the messages before its turn, and the messages of the turn that already happened: it may
 * continue a turn whose beginning no other trace shows.
 */
function splitHistory(history: readonly Message[], users: readonly UserMessage[], isStart: boolean) {
  const past = history.slice(0, history.findLastIndex(isAgentOrResult) + 1);
  if (users.length > 0 || !isStart) return { past, ongoing: [], users };
  let start = past.findLastIndex(isUser);
  const end = start + 1;
  while (start > 0 && past[start - 1]?.role === 'user') start -= 1;
  if (start < 0) return { past, ongoing: [], users };
  return { past: past.slice(0, start), ongoing: past.slice(end), users: past.slice(start, end).filter(isUser) };
}

/** Whether the output is the text of the answer itself, not JSON around it. */
function isText({ classified: { dialect, span } }: SpanNode, answer: AgentMessage | undefined): boolean {
  return dialect.raw(span).output?.value === answer?.content?.text;
}

/** The first model below a node that does not belong to a tool or a sub-agent. */
function firstModel(node: SpanNode): SpanNode | undefined {
  if (node.classified.kind === 'model') return node;
  if (node.classified.kind !== 'agent' && node.classified.kind !== 'chain') return undefined;
  for (const child of node.children) {
    const first = firstModel(child);
    if (first) return first;
  }
  return undefined;
}

function isUser(message: Message): message is UserMessage {
  return message.role === 'user';
}

function isAgent(message: Message): message is AgentMessage {
  return message.role === 'agent';
}

function hasText({ content }: AgentMessage): boolean {
  return content !== null && /\S/.test(content.text);
}

function isAgentOrResult({ role }: Message): boolean {
  return role === 'agent' || role === 'result';
}

/** The user messages at the end of a history. */
function lastUsers(history: readonly Message[]): readonly UserMessage[] {
  return history.slice(history.findLastIndex(isAgentOrResult) + 1).filter(isUser);
}

/** The messages after the last user message of an agent's output, which may begin with its whole input. */
function afterLastUser(returned: readonly Message[]): readonly Message[] {
  return returned.slice(returned.findLastIndex(isUser) + 1);
}

function textOf(message: Message | undefined): string {
  if (message?.role === 'system' || message?.role === 'user') return message.content?.text ?? '';
  return '';
}

/** Merges the parts of one model answer, which some instrumentations record as several messages. */
function mergeAnswers(answers: readonly AgentMessage[], pointer: Pointer): AgentMessage {
  const [first, ...others] = answers;
  if (!first) return { role: 'agent', pointer, content: null, calls: [] };
  if (others.length === 0) return first;
  return {
    ...first,
    content: joinTexts(
      answers.flatMap(({ content }) => content ?? []),
      pointer,
    ),
    reasoning: answers.flatMap(({ reasoning }) => reasoning ?? []).join('\n') || undefined,
    calls: answers.flatMap(({ calls }) => calls),
  };
}
