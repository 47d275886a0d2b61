import { get, getArray, getId, getNumber, getObject, getString, isObject, type JsonObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer, RecordedOutcome, Session, SessionEnding, Turn } from '../../core/session.ts';
import {
  type AgentMessage,
  buildConversation,
  type LocatedText,
  type Message,
  type RequestedCall,
  type ResultMessage,
} from '../chat/messages/conversation.ts';
import { endingOfError } from '../ending.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { argumentsOf, definedEntries, jsonText } from '../values.ts';

/**
 * Tapes of TapeAgents: {metadata, context, steps}, each step with a `kind`. Applications define kinds of their own, so an
 * unknown one is read by the framework's convention: `…_thought`, `…_action`, and anything else is what the environment
 * answered.
 */
export const tapeAgents: SyncFormat = {
  name: 'tapeagents',
  title: 'TapeAgents tape',
  description: 'A tape of TapeAgents: {metadata, context, steps}, one or a list',

  detect({ value }) {
    return mostly(sample(value), isTape) ? 'a list of `steps`, each with a `kind` and the `metadata` of a tape' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions: Session[] = [];
    for (const [pointer, tape] of records(document)) {
      if (getArray(tape, 'steps')) sessions.push(sessionOf(tape, pointer, document.file, problems));
      else problems.error('not-a-tape', pointer, 'Cannot read this tape: it has no list of `steps`.');
    }
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No tape was found in this file: none has a list of `steps`.');
    }
    return { sessions: withUniqueIds(sessions, problems), problems: problems.list() };
  },
};

function isTape(value: unknown): boolean {
  const steps = getArray(value, 'steps');
  return steps !== undefined && getObject(value, 'metadata') !== undefined && mostly(sample(steps), isStep);
}

/** Every step has an id of its own and the id of the prompt that produced it, empty if none did. */
function isStep(value: unknown): boolean {
  const metadata = getObject(value, 'metadata');
  return getString(value, 'kind') !== undefined && getString(metadata, 'prompt_id') !== undefined;
}

function sessionOf(tape: unknown, pointer: Pointer, file: string, problems: Problems): Session {
  const metadata = getObject(tape, 'metadata');
  const task = getObject(metadata, 'task');
  const taskId = getId(task, 'task_id');
  const tools = toolsOf(get(getObject(tape, 'context'), 'tools'));
  const { turns, ...conversation } = buildConversation(messagesOf(tape, pointer, problems), problems);
  return {
    id: getId(metadata, 'id') ?? `${stemOf(file)}${pointer.replace('/', '-')}`,
    source: { file, format: tapeAgents.name, pointer },
    metadata: definedEntries({ agent: getString(metadata, 'author') }),
    tools: tools?.length === 0 ? undefined : tools,
    task:
      taskId === undefined
        ? undefined
        : { id: taskId, trial: getId(metadata, 'attempt_number'), agent: getString(metadata, 'author') },
    outcome: outcomeOf(metadata, pointer),
    ending: endingOfTape(metadata, pointer),
    ...conversation,
    turns: withExpectedAnswer(turns, getString(task, 'Final answer')),
  };
}

function endingOfTape(metadata: JsonObject | undefined, pointer: Pointer): SessionEnding | undefined {
  const error = get(metadata, 'error');
  return error ? endingOfError(plainText(error), childPointer(pointer, 'metadata', 'error')) : undefined;
}

/** An error ends the run; without one, nothing says whether the agent did its job. */
function outcomeOf(metadata: JsonObject | undefined, pointer: Pointer): RecordedOutcome | undefined {
  const error = get(metadata, 'error');
  if (error === undefined || error === null || error === '') return undefined;
  return {
    status: 'failed',
    reason: `the run ended with an error: ${plainText(error)}`,
    pointer: childPointer(pointer, 'metadata', 'error'),
  };
}

function withExpectedAnswer(turns: readonly Turn[], response: string | undefined): Turn[] {
  return turns.map((turn, index) =>
    response !== undefined && index === turns.length - 1 ? { ...turn, reference: { response } } : turn,
  );
}

/** Steps that steer the agent, and say nothing. */
const CONTROL_STEPS: ReadonlySet<string> = new Set(['set_next_node', 'pass', 'final_step']);

const USER_STEPS: ReadonlySet<string> = new Set(['user', 'question', 'task', 'web_task']);

/** The fields that hold the text of a step, the first that is there. */
const TEXT_FIELDS = ['content', 'reasoning', 'thought', 'text', 'task', 'answer'] as const;

function* messagesOf(tape: unknown, pointer: Pointer, problems: Problems): Generator<Message> {
  const open = new OpenActions();
  /** The steps of one model call so far: they have one prompt. */
  let answer: { readonly prompt: string; readonly message: AgentMessage } | null = null;
  for (const [index, step] of (getArray(tape, 'steps') ?? []).entries()) {
    const place = `${pointer}/steps/${index}`;
    const kind = getString(step, 'kind');
    if (kind === undefined) problems.warn('not-a-step', place, 'Step skipped: it has no `kind`.');
    if (kind === undefined || CONTROL_STEPS.has(kind)) continue;
    const message = toMessage(step, kind, place, open);
    const prompt = getString(getObject(step, 'metadata'), 'prompt_id') ?? '';
    if (answer && message.role === 'agent' && prompt !== '' && prompt === answer.prompt) {
      answer = { prompt, message: mergeAnswers(answer.message, message) };
      continue;
    }
    if (answer) yield answer.message;
    answer = message.role === 'agent' ? { prompt, message } : null;
    if (!answer) yield message;
  }
  if (answer) yield answer.message;
}

function mergeAnswers(first: AgentMessage, next: AgentMessage): AgentMessage {
  const reasoning = [first.reasoning, next.reasoning].filter((text) => text !== undefined);
  return {
    ...first,
    content: next.content ?? first.content,
    calls: [...first.calls, ...next.calls],
    ...(reasoning.length > 0 ? { reasoning: reasoning.join('\n') } : {}),
    ...(next.error === undefined ? {} : { error: next.error }),
  };
}

function toMessage(step: unknown, kind: string, pointer: Pointer, open: OpenActions): Message {
  if (kind === 'system') return { role: 'system', pointer, content: textOf(step, pointer) ?? { text: '', pointer } };
  if (USER_STEPS.has(kind)) return { role: 'user', pointer, content: textOf(step, pointer) };
  const agent = {
    role: 'agent',
    pointer,
    speaker: getString(getObject(step, 'metadata'), 'agent') || undefined,
  } as const;
  const tools = getArray(step, 'tool_calls');
  if (tools) return { ...agent, content: null, calls: requestedCalls(tools, `${pointer}/tool_calls`, open) };
  if (kind === 'assistant' || kind === 'respond') return { ...agent, content: textOf(step, pointer), calls: [] };
  const answer = getString(step, 'answer');
  if (answer !== undefined) {
    const content = { text: answer, pointer: `${pointer}/answer` };
    return { ...agent, content, calls: [], reasoning: getString(step, 'overview') };
  }
  if (kind === 'llm_output_parsing_failure_action') {
    const output = getString(step, 'llm_output');
    return {
      ...agent,
      content: null,
      calls: [],
      reasoning: output,
      error: getString(step, 'error') ?? 'No step was read.',
    };
  }
  if (isThought(kind)) return { ...agent, content: null, calls: [], reasoning: thoughtOf(step) };
  if (kind.endsWith('_action')) return { ...agent, content: null, calls: [open.add(step, kind, pointer)] };
  return observed(step, kind, pointer, open);
}

function isThought(kind: string): boolean {
  return kind === 'call' || kind.endsWith('thought');
}

function textOf(step: unknown, pointer: Pointer): LocatedText | null {
  for (const field of TEXT_FIELDS) {
    const value = get(step, field);
    if (typeof value === 'string') return { text: value, pointer: `${pointer}/${field}` };
  }
  return null;
}

/** Its text, or all that it says as JSON. */
function thoughtOf(step: unknown): string {
  const field = TEXT_FIELDS.find((name) => get(step, name) !== undefined);
  const value = field === undefined ? fieldsOf(step) : get(step, field);
  return (Array.isArray(value) ? value : [value]).map(plainText).join('\n');
}

/** Never throws, however deeply a value is nested. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** What a step says, without what the framework notes about it. */
function fieldsOf(step: unknown): JsonObject {
  const { metadata, kind, ...fields } = isObject(step) ? step : {};
  return fields;
}

function requestedCalls(calls: readonly unknown[], pointer: Pointer, open: OpenActions): RequestedCall[] {
  return calls.map((call, index) => {
    const called = getObject(call, 'function');
    const name = getString(called, 'name') ?? 'unknown';
    const place = `${pointer}/${index}`;
    return open.request(
      { pointer: place, name, arguments: argumentsOf(get(called, 'arguments')) },
      getString(call, 'id'),
      name,
    );
  });
}

/** Actions that the environment has not answered yet. */
class OpenActions {
  readonly #open = new Set<string>();
  readonly #all = new ActionQueue();
  readonly #byKind = new Map<string, ActionQueue>();

  add(step: unknown, kind: string, pointer: Pointer): RequestedCall {
    const id = getId(getObject(step, 'metadata'), 'id');
    return this.request({ pointer, name: kind.replace(/_action$/, ''), arguments: fieldsOf(step) }, id, kind);
  }

  request(call: Omit<RequestedCall, 'id'>, given: string | undefined, kind: string): RequestedCall {
    const id = given && !this.#open.has(given) ? given : call.pointer;
    const ofKind = this.#byKind.get(kind) ?? new ActionQueue();
    this.#byKind.set(kind, ofKind);
    this.#open.add(id);
    this.#all.push(id);
    ofKind.push(id);
    return { ...call, id };
  }

  /** The action that an observation answers: the one that it names, else the oldest of its kind, else the oldest. */
  answered(id: string | undefined, kind: string | undefined): string | undefined {
    const named = id !== undefined && this.#open.has(id) ? id : undefined;
    const ofKind = kind === undefined ? undefined : this.#byKind.get(kind);
    const action = named ?? ofKind?.first(this.#open) ?? this.#all.first(this.#open);
    if (action !== undefined) this.#open.delete(action);
    return action;
  }
}

/** Ids in the order in which they came. */
class ActionQueue {
  readonly #ids: string[] = [];
  #head = 0;

  push(id: string): void {
    this.#ids.push(id);
  }

  /** The first that is still open. */
  first(open: ReadonlySet<string>): string | undefined {
    for (let id = this.#ids[this.#head]; id !== undefined && !open.has(id); id = this.#ids[this.#head]) this.#head += 1;
    return this.#ids[this.#head];
  }
}

/** The single fields in which observations put what they saw. */
const VALUE_FIELDS = ['content', 'result', 'text', 'error'] as const;

function observed(step: unknown, kind: string, pointer: Pointer, open: OpenActions): Message {
  const { tool_call_id, ...fields } = fieldsOf(step);
  const field = VALUE_FIELDS.find((name) => fields[name] !== undefined && Object.keys(fields).length === 1);
  const value = field === undefined ? fields : fields[field];
  const valuePointer = field === undefined ? pointer : `${pointer}/${field}`;
  const other = getObject(getObject(step, 'metadata'), 'other');
  const call = open.answered(getString(step, 'tool_call_id'), getString(other, 'action_kind'));
  const exitCode = getNumber(getObject(step, 'result'), 'exit_code');
  const failed = kind === 'action_execution_failure' || (exitCode !== undefined && exitCode !== 0);
  const result: Pick<ResultMessage, 'pointer' | 'value' | 'valuePointer' | 'outcome' | 'error'> = {
    pointer,
    value,
    valuePointer,
    ...(failed ? { outcome: 'error', error: getString(step, 'error') } : {}),
  };
  return { role: 'result', call, ...result };
}
