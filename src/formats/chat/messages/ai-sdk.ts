import { get, getArray, getObject, getString } from '../../../core/json.ts';
import { childPointer } from '../../../core/pointer.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf, firstPresent, isoTime } from '../../values.ts';
import { joinTexts, type LocatedText, type Message, type RequestedCall, type ResultMessage } from './conversation.ts';

/**
 * The messages of Vercel's AI SDK: those a chat shows (UIMessage, in v5 and v6 with `parts`, in v4 also with
 * `toolInvocations`) and those a model receives (ModelMessage, in v4 CoreMessage).
 */

const UI_ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'data']);
const UI_PARTS = /^(?:text|reasoning|step-start|file|source|source-url|source-document|dynamic-tool|tool-.+|data-.+)$/;

const MODEL_ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);
const MODEL_PARTS =
  /^(?:text|image|file|reasoning|reasoning-file|redacted-reasoning|custom|tool-(?:call|result|approval-request|approval-response))$/;

/** Whether a list is in this dialect: most entries match it, and one has a feature that no other dialect has. */
export function isAiSdk(messages: readonly unknown[]): boolean {
  return messages.some(isDistinctive) && mostly(messages, (message) => isUiMessage(message) || isModelMessage(message));
}

function isDistinctive(message: unknown): boolean {
  if (isUiMessage(message) && (getArray(message, 'parts')?.length || getArray(message, 'toolInvocations'))) return true;
  const parts = isModelMessage(message) ? getArray(message, 'content') : undefined;
  return sample(parts ?? [], 20).some(
    (part) => typeof get(part, 'toolCallId') === 'string' || typeof get(part, 'approvalId') === 'string',
  );
}

function isUiMessage(message: unknown): boolean {
  if (!UI_ROLES.has(get(message, 'role'))) return false;
  const parts = getArray(message, 'parts');
  return parts ? sample(parts, 20).every((part) => isPart(part, UI_PARTS)) : isText(message);
}

function isModelMessage(message: unknown): boolean {
  if (!MODEL_ROLES.has(get(message, 'role')) || get(message, 'parts') !== undefined) return false;
  const content = getArray(message, 'content');
  return content ? sample(content, 20).every((part) => isPart(part, MODEL_PARTS)) : isText(message);
}

function isText(message: unknown): boolean {
  return typeof get(message, 'content') === 'string';
}

/** OpenTelemetry also has text and reasoning parts; their text is in `content`. */
function isPart(part: unknown, types: RegExp): boolean {
  const type = getString(part, 'type');
  if (type === undefined || !types.test(type)) return false;
  if (type !== 'text' && type !== 'reasoning') return true;
  return getString(part, 'text') !== undefined || getString(part, type) !== undefined;
}

/** The messages of a list; `pointer` is that of the list. */
export function* aiSdkMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  const approvals = new ApprovalTracker();
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const at = isoTime(get(message, 'createdAt'));
    switch (get(message, 'role')) {
      case 'system': {
        const content = textOf(message, itemPointer);
        if (content) yield { role: 'system', pointer: itemPointer, content };
        break;
      }
      case 'user':
        yield { role: 'user', pointer: itemPointer, content: textOf(message, itemPointer), at };
        break;
      case 'assistant':
      case 'tool':
        for (const answer of answerMessages(partsOf(message, itemPointer, approvals), itemPointer, problems))
          yield { ...answer, at };
        break;
      case 'data':
        // Data that a server sent next to the conversation.
        break;
      default:
        problems.warn(
          'not-a-message',
          itemPointer,
          'Entry skipped: expected a message with the role system, user, assistant or tool.',
        );
    }
  }
}

/** The text of instructions or of a user message. */
function textOf(message: unknown, itemPointer: Pointer): LocatedText | null {
  const texts: LocatedText[] = [];
  const parts = partsOf(message, itemPointer, new ApprovalTracker());
  for (const part of parts) if (part.kind === 'text') texts.push(part.text);
  return joinTexts(texts, get(message, 'parts') === undefined ? `${itemPointer}/content` : `${itemPointer}/parts`);
}

/** A parsed part of a message. */
type AiSdkPart = { readonly pointer: Pointer } & (
  | { readonly kind: 'text'; readonly text: LocatedText }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly call: RequestedCall; readonly result: ResultMessage | undefined }
  | { readonly kind: 'result'; readonly result: ResultMessage }
  /** Another request to the model follows. */
  | { readonly kind: 'step' }
);

function partsOf(message: unknown, itemPointer: Pointer, approvals: ApprovalTracker): AiSdkPart[] {
  const parts = getArray(message, 'parts') ?? [];
  const ofChat = parts.flatMap((part, index) => uiPart(part, `${itemPointer}/parts/${index}`) ?? []);
  const content = get(message, 'content');
  if (parts.length === 0 && Array.isArray(content)) {
    return content.flatMap((part, index) => modelPart(part, `${itemPointer}/content/${index}`, approvals) ?? []);
  }
  // v4 repeats the text of the parts in `content` and their calls in `toolInvocations`.
  if (parts.length === 0 && typeof content === 'string') {
    ofChat.push(textPart(content, `${itemPointer}/content`));
  }
  if (ofChat.some(({ kind }) => kind === 'call')) return ofChat;
  const calls = (getArray(message, 'toolInvocations') ?? []).map((call, index) =>
    toolPart(call, getString(call, 'toolName') ?? '', `${itemPointer}/toolInvocations/${index}`),
  );
  // A text that was written after results comes after them.
  return calls.some(({ result }) => result) ? [...calls, ...ofChat] : [...ofChat, ...calls];
}

function textPart(text: string, pointer: Pointer): AiSdkPart & { readonly kind: 'text' } {
  return { kind: 'text', pointer, text: { text, pointer } };
}

function uiPart(part: unknown, itemPointer: Pointer): AiSdkPart | undefined {
  const type = getString(part, 'type') ?? '';
  if (type === 'step-start') return { kind: 'step', pointer: itemPointer };
  if (type === 'dynamic-tool') return toolPart(part, getString(part, 'toolName') ?? '', itemPointer);
  const invocation = type === 'tool-invocation' ? getObject(part, 'toolInvocation') : undefined;
  if (invocation) return toolPart(invocation, getString(invocation, 'toolName') ?? '', `${itemPointer}/toolInvocation`);
  return type.startsWith('tool-')
    ? toolPart(part, type.slice('tool-'.length), itemPointer)
    : prosePart(part, type, itemPointer);
}

function modelPart(part: unknown, itemPointer: Pointer, approvals: ApprovalTracker): AiSdkPart | undefined {
  const type = getString(part, 'type') ?? '';
  switch (type) {
    case 'tool-call':
      return toolPart(part, getString(part, 'toolName') ?? '', itemPointer);
    case 'tool-result': {
      const result = approvals.isDenied(part) ? undefined : resultPart(part, itemPointer);
      return result && { kind: 'result', pointer: itemPointer, result };
    }
    case 'tool-approval-request':
      approvals.request(part);
      return undefined;
    case 'tool-approval-response': {
      const result = approvals.respond(part, itemPointer);
      return result && { kind: 'result', pointer: itemPointer, result };
    }
    default:
      return prosePart(part, type, itemPointer);
  }
}

function prosePart(part: unknown, type: string, itemPointer: Pointer): AiSdkPart | undefined {
  if (typeof part === 'string') return textPart(part, itemPointer);
  if (type === 'text') {
    const text = getString(part, 'text');
    return text === undefined ? undefined : { ...textPart(text, `${itemPointer}/text`), pointer: itemPointer };
  }
  const thought = type === 'reasoning' ? (getString(part, 'text') ?? getString(part, 'reasoning')) : undefined;
  return thought ? { kind: 'reasoning', text: thought, pointer: itemPointer } : undefined;
}

/** A call, with its result if it is in the same part. Arguments that do not match are only in `rawInput`. */
function toolPart(part: unknown, name: string, itemPointer: Pointer): AiSdkPart & { readonly kind: 'call' } {
  const args = firstPresent(part, 'input', 'rawInput', 'args');
  const call = { pointer: itemPointer, id: getString(part, 'toolCallId'), name, arguments: argumentsOf(args) };
  return { kind: 'call', pointer: itemPointer, call, result: uiResult(part, itemPointer) };
}

/** The result of a call in a chat; missing unless the state of the call says otherwise. */
function uiResult(part: unknown, itemPointer: Pointer): ResultMessage | undefined {
  switch (get(part, 'state')) {
    case 'output-available':
      return resultOf(part, itemPointer, ['output']);
    case 'result':
      return resultOf(part, itemPointer, ['result']);
    case 'output-error':
      return resultOf(part, itemPointer, ['errorText'], 'error');
    case 'output-denied':
      return resultOf(part, itemPointer, ['approval', 'reason'], 'rejected');
    case 'approval-responded':
      if (get(get(part, 'approval'), 'approved') !== false) return undefined;
      return resultOf(part, itemPointer, ['approval', 'reason'], 'rejected');
    default:
      return undefined;
  }
}

function resultPart(part: unknown, itemPointer: Pointer): ResultMessage {
  switch (get(get(part, 'output'), 'type')) {
    case 'text':
    case 'json':
    case 'content':
      return resultOf(part, itemPointer, ['output', 'value']);
    case 'error-text':
    case 'error-json':
      return resultOf(part, itemPointer, ['output', 'value'], 'error');
    case 'execution-denied':
      return resultOf(part, itemPointer, ['output', 'reason'], 'rejected');
    default: {
      const key = get(part, 'output') === undefined ? 'result' : 'output';
      return resultOf(part, itemPointer, [key], get(part, 'isError') === true ? 'error' : undefined);
    }
  }
}

function resultOf(
  part: unknown,
  itemPointer: Pointer,
  path: readonly string[],
  outcome?: ResultMessage['outcome'],
): ResultMessage {
  const value = path.reduce(get, part);
  return {
    role: 'result',
    pointer: itemPointer,
    call: getString(part, 'toolCallId'),
    name: getString(part, 'toolName'),
    value,
    valuePointer: value === undefined ? itemPointer : childPointer(itemPointer, ...path),
    outcome,
  };
}

/**
 * The model answers in one message: each ends with its calls or with another request to the model. The first has the
 * location of the message, later ones that of their first part.
 */
function* answerMessages(
  parts: readonly AiSdkPart[],
  itemPointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  let answer: Exclude<AiSdkPart, { kind: 'step' }>[] = [];
  let called = false;
  let start = itemPointer;
  for (const part of parts) {
    const writes = part.kind === 'text' || part.kind === 'reasoning';
    if (answer.length > 0 && (part.kind === 'step' || (called && writes))) {
      yield* answerMessage(answer, start, problems);
      answer = [];
      called = false;
      start = part.pointer;
    }
    if (part.kind === 'step') continue;
    called ||= part.kind === 'call';
    answer.push(part);
  }
  yield* answerMessage(answer, start, problems);
}

function* answerMessage(parts: readonly AiSdkPart[], pointer: Pointer, problems: Problems): Generator<Message, void> {
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls: RequestedCall[] = [];
  const results: ResultMessage[] = [];
  for (const part of parts) {
    if (part.kind === 'text') texts.push(part.text);
    else if (part.kind === 'reasoning') thoughts.push(part.text);
    else if (part.kind === 'result') results.push(part.result);
    else if (part.kind === 'call' && part.call.name !== '') {
      calls.push(part.call);
      if (part.result) results.push(part.result);
    } else if (part.kind === 'call') {
      problems.warn('call-without-name', part.call.pointer, 'Tool call skipped: it has no tool name.');
    }
  }
  if (texts.length > 0 || thoughts.length > 0 || calls.length > 0) {
    const content = joinTexts(texts, pointer);
    yield { role: 'agent', pointer, content, reasoning: thoughts.join('\n') || undefined, calls };
  }
  yield* results;
}

/**
 * Tracks approvals: a user who rejects a call answers its approval request, and a result that repeats the rejection is
 * the same event.
 */
class ApprovalTracker {
  readonly #calls = new Map<string, string>();
  readonly #denied = new Set<string>();

  request(part: unknown): void {
    const [approval, call] = [getString(part, 'approvalId'), getString(part, 'toolCallId')];
    if (approval !== undefined && call !== undefined) this.#calls.set(approval, call);
  }

  respond(part: unknown, pointer: Pointer): ResultMessage | undefined {
    const call = this.#calls.get(getString(part, 'approvalId') ?? '');
    if (call === undefined || get(part, 'approved') !== false) return undefined;
    this.#denied.add(call);
    return { ...resultOf(part, pointer, ['reason'], 'rejected'), call };
  }

  isDenied(result: unknown): boolean {
    return this.#denied.has(getString(result, 'toolCallId') ?? '');
  }
}
