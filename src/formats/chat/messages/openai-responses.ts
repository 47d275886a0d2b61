import { get, getArray, getString, type JsonObject } from '../../../core/json.ts';
import type { Pointer, TokenUsage } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf, definedEntries, firstPresent } from '../../values.ts';
import type { LocatedText, Message, RequestedCall, ResultMessage, SystemMessage, UserMessage } from './conversation.ts';
import {
  approvalRefusal,
  hostedResult,
  idOf,
  type OutcomeReader,
  readSdkOutcome,
  resultOf,
  textIn,
} from './openai-responses-results.ts';

/**
 * The items of OpenAI's Responses API, which are smaller than messages: a message, a thought, a call and its output
 * are items of one list. Keys are in snake case, or in the camel case of the Agents SDK for JavaScript.
 */

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer']);

/** Types of the parts of a message; the last two are the Agents SDK's. */
const PARTS = /^(?:(?:input|output)_(?:text|image|file|audio)|refusal|computer_screenshot|audio|image)$/;

const CALL = /^(?!tool_call$)\w+_call$/;
const OUTPUT = /^(?:\w+_call_(?:output|result)|tool_search_output)$/;
/** Calls that the program runs and answers with an item. The provider runs all others. */
const PROGRAM_CALL = /^(?:function|custom_tool|computer|local_shell|shell|apply_patch)_call$/;
const OTHER_ITEMS: ReadonlySet<unknown> = new Set([
  'reasoning',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'item_reference',
  'compaction',
]);

/** Whether a list is in this dialect: it consists mostly of items, and one is unique to this dialect. */
export function isResponses(items: readonly unknown[]): boolean {
  return items.some(isDistinctive) && mostly(items, isItem);
}

/** Whether an item is unique to this dialect. */
function isDistinctive(item: unknown): boolean {
  if (!isItem(item)) return false;
  return (
    isTypedItem(item) || get(item, 'type') === 'message' || sample(getArray(item, 'content') ?? [], 20).some(isPart)
  );
}

/** Whether a value may be an item. A message may also be one of chat completions. */
export function isItem(item: unknown): boolean {
  return isTypedItem(item) || isMessage(item);
}

function isMessage(item: unknown): boolean {
  const type = get(item, 'type');
  if (!ROLES.has(get(item, 'role')) || (type !== 'message' && type !== undefined)) return false;
  // Anthropic's responses also have the type "message".
  if (get(item, 'stop_reason') !== undefined || get(item, 'tool_calls') !== undefined) return false;
  const content = get(item, 'content');
  if (Array.isArray(content)) return sample(content, 20).every(isPart);
  return typeof content === 'string';
}

function isPart(part: unknown): boolean {
  return PARTS.test(getString(part, 'type') ?? '');
}

function isTypedItem(item: unknown): boolean {
  const type = getString(item, 'type');
  if (type === undefined) return false;
  if (OUTPUT.test(type)) return idOf(item) !== undefined;
  if (CALL.test(type)) return idOf(item) !== undefined || typeof get(item, 'name') === 'string';
  if (type === 'reasoning') return getArray(item, 'summary') !== undefined || getArray(item, 'content') !== undefined;
  return OTHER_ITEMS.has(type) && typeof get(item, 'id') === 'string';
}

/** An item and its location. */
export interface ResponsesItem {
  readonly item: unknown;
  readonly pointer: Pointer;
  /** ISO 8601. */
  readonly at?: string;
  /** The turn's id in the file. */
  readonly turn?: string;
  readonly speaker?: string;
  readonly model?: string;
}

/** The model call that produced the items before it. */
export interface EndOfResponse {
  readonly pointer: Pointer;
  readonly response: {
    readonly usage?: TokenUsage;
    readonly finishReason?: string;
    /** The error of the model call itself. */
    readonly error?: string;
  };
}

/** An entry of a list of items, or a message that is already parsed. */
export type ResponsesEntry = ResponsesItem | EndOfResponse | SystemMessage | UserMessage;

/** The messages of a list in this dialect; `pointer` is that of the list. */
export function responsesMessages(
  items: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  return messagesOf(itemsOf(items, pointer), problems);
}

/** The items of a list, without holes. */
export function* itemsOf(
  items: readonly unknown[],
  pointer: Pointer,
  more: Partial<ResponsesItem> = {},
): Generator<ResponsesItem, void> {
  for (const [index, item] of items.entries()) {
    if (item !== undefined) yield { ...more, item, pointer: `${pointer}/${index}` };
  }
}

/**
 * Groups items into messages. The thoughts, the text and the calls of one response are one message, which ends at the
 * next text, at an output, or at an item of another speaker. Items of unknown types are skipped.
 */
export function* messagesOf(
  entries: Iterable<ResponsesEntry>,
  problems: Problems,
  verdict: OutcomeReader = readSdkOutcome,
): Generator<Message, void> {
  const answers = new ResponsesAnswerBuilder(problems, verdict);
  for (const entry of entries) yield* answers.take(entry);
  yield* answers.finish();
}

/** One response of a model, and the results of its calls. */
interface ResponsesAnswer {
  readonly first: Omit<ResponsesItem, 'item'>;
  content: LocatedText | null;
  readonly thoughts: string[];
  readonly calls: RequestedCall[];
  /** Of tools that the provider ran. */
  readonly results: ResultMessage[];
  /** Of tools that the program ran. */
  readonly outputs: ResultMessage[];
  usage?: TokenUsage;
  finishReason?: string;
  error?: string;
}

/** Groups items into answers. An answer is open until its results and its token counts are known. */
class ResponsesAnswerBuilder {
  readonly #problems: Problems;
  readonly #verdict: OutcomeReader;
  #open: ResponsesAnswer | null = null;
  /** Ids of calls that need a person's approval. An approved call is executed by a call that refers to the id. */
  readonly #requests = new Set<string>();

  constructor(problems: Problems, verdict: OutcomeReader) {
    this.#problems = problems;
    this.#verdict = verdict;
  }

  *take(entry: ResponsesEntry): Generator<Message, void> {
    if ('response' in entry) {
      yield* this.#end(entry);
    } else if ('role' in entry) {
      yield* this.finish();
      yield entry;
    } else {
      yield* this.#item(entry);
    }
  }

  *finish(): Generator<Message, void> {
    const answer = this.#open;
    if (!answer) return;
    this.#open = null;
    const { first, content, thoughts, calls, results, outputs, usage, finishReason, error } = answer;
    const { pointer, at, turn, speaker, model } = first;
    const reasoning = thoughts.join('\n') || undefined;
    if (content || reasoning !== undefined || calls.length > 0 || error !== undefined) {
      const details = { model, finishReason, speaker, usage, error };
      yield { role: 'agent', pointer, content, reasoning, calls, at, turn, ...details };
    }
    for (const result of results) yield { ...result, at, turn };
    yield* outputs;
  }

  /** An error belongs to the next answer if the calls of this one have their outputs. */
  *#end(end: EndOfResponse): Generator<Message, void> {
    if (end.response.error !== undefined) {
      if (this.#open && this.#open.outputs.length > 0) yield* this.finish();
      this.#open ??= newAnswer(end);
    }
    if (this.#open) Object.assign(this.#open, end.response);
  }

  *#item(entry: ResponsesItem): Generator<Message, void> {
    const { item, pointer, at, turn } = entry;
    const type = getString(item, 'type') ?? 'message';
    if (type === 'message' && get(item, 'role') !== 'assistant') {
      yield* this.finish();
      yield* this.#saidByOthers(entry);
    } else if (OUTPUT.test(type) || type === 'mcp_approval_response') {
      const result =
        type === 'mcp_approval_response' ? approvalRefusal(item, pointer) : resultOf(item, pointer, this.#verdict);
      if (!result) return;
      if (this.#open) this.#open.outputs.push({ ...result, at, turn });
      else yield { ...result, at, turn };
    } else if (type === 'message' || type === 'reasoning' || type === 'mcp_approval_request' || CALL.test(type)) {
      if (this.#open && !continuesAnswer(this.#open, entry, type)) yield* this.finish();
      this.#open ??= newAnswer(entry);
      if (type === 'message') this.#open.content = contentOf(entry);
      else if (type === 'reasoning') this.#open.thoughts.push(...thoughtsOf(item));
      else this.#call(this.#open, entry, type);
    }
  }

  *#saidByOthers(entry: ResponsesItem): Generator<Message, void> {
    const { item, pointer, at, turn } = entry;
    const role = get(item, 'role');
    const content = contentOf(entry);
    if (role === 'user') {
      yield { role, pointer, content, at, turn };
    } else if (ROLES.has(role)) {
      if (content) yield { role: 'system', pointer, content };
    } else {
      const message = 'Entry skipped: it is not an item of the Responses API.';
      this.#problems.warn('not-an-item', pointer, message);
    }
  }

  #call(answer: ResponsesAnswer, { item, pointer }: ResponsesItem, type: string): void {
    const own = getString(item, 'name');
    const name = type === 'hosted_tool_call' ? own?.replace(HOSTED_CALL, '$1') : own;
    const call = { pointer, id: idOf(item), name: name ?? type.replace(/_call$/, ''), arguments: callArguments(item) };
    if (call.name === '' || (own === undefined && /^(?:function|custom_tool|mcp)_/.test(type))) {
      const message = 'Tool call skipped: it has no tool name.';
      this.#problems.warn('call-without-name', pointer, message);
      return;
    }
    const request = getString(item, 'approval_request_id');
    const isRequested = request !== undefined && this.#requests.has(request);
    if (!isRequested) answer.calls.push(call);
    if (type === 'mcp_approval_request') {
      if (call.id !== undefined) this.#requests.add(call.id);
    } else if (!PROGRAM_CALL.test(type) && get(item, 'execution') !== 'client') {
      const result = hostedResult(item, isRequested ? { ...call, id: request } : call);
      if (result) answer.results.push(result);
    }
  }
}

function newAnswer(first: ResponsesAnswer['first']): ResponsesAnswer {
  return { first, content: null, thoughts: [], calls: [], results: [], outputs: [] };
}

/** Whether an item is part of the same answer. */
function continuesAnswer(
  { first, content, outputs }: ResponsesAnswer,
  { speaker, turn }: ResponsesItem,
  type: string,
): boolean {
  if (outputs.length > 0 || (type === 'message' && content !== null)) return false;
  return first.speaker === speaker && (turn === undefined || first.turn === turn);
}

function contentOf({ item, pointer }: ResponsesItem): LocatedText | null {
  return textIn(get(item, 'content'), `${pointer}/content`);
}

function thoughtsOf(item: unknown): string[] {
  return ['summary', 'content'].flatMap((key) =>
    (getArray(item, key) ?? []).flatMap((part) => getString(part, 'text') || []),
  );
}

/** The Agents SDK's names for the provider's tools. */
const HOSTED_CALL = /^(web_search|file_search|code_interpreter|image_generation|tool_search)_call$/;

function callArguments(item: unknown): JsonObject | string {
  const args = firstPresent(item, 'arguments', 'input', 'action', 'operation');
  if (args !== undefined) return argumentsOf(args);
  return definedEntries({ queries: get(item, 'queries'), code: get(item, 'code') }) ?? {};
}
