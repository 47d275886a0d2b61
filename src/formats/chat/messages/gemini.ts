import { get, getArray, getString, isObject } from '../../../core/json.ts';
import type { Pointer, TokenUsage } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly, sample } from '../../records.ts';
import { argumentsOf, firstPresent, firstPresentKey } from '../../values.ts';
import { joinTexts, type LocatedText, type Message, type RequestedCall, type ResultMessage } from './conversation.ts';

/** The name of the tool with which a model runs its own code in Gemini's API. */
const CODE_EXECUTION = 'code_execution';

/** Gemini's `Content` (`{role, parts: […]}`), with keys in snake or camel case, as ADK and Google's SDKs write it. */
export interface GeminiContent {
  /** The joined text parts; null if there are none. */
  readonly text: LocatedText | null;
  /** The parts marked as thoughts. */
  readonly reasoning: string | undefined;
  readonly calls: readonly RequestedCall[];
  readonly responses: readonly FunctionResponse[];
  /** Code that the model wrote and the API ran, and its results. */
  readonly code: readonly RequestedCall[];
  readonly executions: readonly ResultMessage[];
}

export interface FunctionResponse {
  readonly pointer: Pointer;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly value: unknown;
  readonly valuePointer: Pointer;
}

export function geminiContent(content: unknown, pointer: Pointer): GeminiContent {
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls: RequestedCall[] = [];
  const responses: FunctionResponse[] = [];
  const code: RequestedCall[] = [];
  const executions: ResultMessage[] = [];
  for (const [index, part] of (getArray(content, 'parts') ?? []).entries()) {
    const itemPointer = `${pointer}/parts/${index}`;
    const text = getString(part, 'text');
    if (text !== undefined && get(part, 'thought') === true) thoughts.push(text);
    else if (text !== undefined) texts.push({ text, pointer: `${itemPointer}/text` });
    const callKey = firstPresentKey(part, 'function_call', 'functionCall');
    const call = callKey && functionCall(get(part, callKey), `${itemPointer}/${callKey}`);
    if (call) calls.push(call);
    const responseKey = firstPresentKey(part, 'function_response', 'functionResponse');
    if (responseKey) responses.push(functionResponse(get(part, responseKey), `${itemPointer}/${responseKey}`));
    const codeKey = firstPresentKey(part, 'executable_code', 'executableCode');
    if (codeKey) code.push(codeCall(get(part, codeKey), `${itemPointer}/${codeKey}`));
    const resultKey = firstPresentKey(part, 'code_execution_result', 'codeExecutionResult');
    if (resultKey) executions.push(codeResult(get(part, resultKey), `${itemPointer}/${resultKey}`));
  }
  return {
    text: joinTexts(texts, `${pointer}/parts`),
    reasoning: thoughts.join('\n') || undefined,
    calls,
    responses,
    code,
    executions,
  };
}

/** Roles of contents. A single-turn request may omit the role. */
const ROLES: ReadonlySet<unknown> = new Set(['user', 'model', 'function', 'tool', 'system', undefined]);

/** Whether a list consists of contents: parts without a `type`, with one of the known keys. */
export function isGemini(messages: readonly unknown[]): boolean {
  return mostly(messages, isContent);
}

function isContent(content: unknown): boolean {
  const parts = getArray(content, 'parts');
  return ROLES.has(get(content, 'role')) && parts !== undefined && parts.length > 0 && sample(parts, 20).every(isPart);
}

const PART_KEYS = [
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'function_call',
  'function_response',
  'inline_data',
  'file_data',
  'executable_code',
  'code_execution_result',
] as const;

function isPart(part: unknown): boolean {
  if (!isObject(part) || get(part, 'type') !== undefined) return false;
  if (typeof get(part, 'text') === 'string') return true;
  return PART_KEYS.some((key) => isObject(get(part, key)));
}

/** The messages of a list of contents; `pointer` is that of the list. */
export function* geminiMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const role = get(message, 'role');
    if (!getArray(message, 'parts') || !ROLES.has(role)) {
      problems.warn('not-a-message', itemPointer, 'Entry skipped: expected a user or model content with `parts`.');
      continue;
    }
    const { text, reasoning, calls, responses, code, executions } = geminiContent(message, itemPointer);
    for (const { pointer: at, id, name, value, valuePointer } of responses) {
      yield { role: 'result', pointer: at, call: id, name, value, valuePointer };
    }
    if (role === 'model') {
      yield { role: 'agent', pointer: itemPointer, content: text, reasoning, calls: [...calls, ...code] };
      yield* executions;
    } else if (role === 'system') {
      if (text) yield { role: 'system', pointer: itemPointer, content: text };
    } else if (text || responses.length === 0) {
      yield { role: 'user', pointer: itemPointer, content: text };
    }
  }
}

/** Gemini's `FunctionCall`: `{id?, name, args}`; undefined without a name. */
export function functionCall(call: unknown, pointer: Pointer): RequestedCall | undefined {
  const name = getString(call, 'name');
  if (name === undefined || name === '') return undefined;
  return { pointer, id: getString(call, 'id'), name, arguments: argumentsOf(get(call, 'args')) };
}

function functionResponse(response: unknown, pointer: Pointer): FunctionResponse {
  const value = get(response, 'response');
  // A value that is not an object is wrapped as {result: …} before it is sent.
  const wrapped = isObject(value) && Object.hasOwn(value, 'result') && Object.keys(value).length === 1;
  return {
    pointer,
    id: getString(response, 'id'),
    name: getString(response, 'name'),
    value: wrapped ? get(value, 'result') : value,
    valuePointer: value === undefined ? pointer : `${pointer}/response${wrapped ? '/result' : ''}`,
  };
}

function codeCall(code: unknown, pointer: Pointer): RequestedCall {
  return { pointer, id: getString(code, 'id'), name: CODE_EXECUTION, arguments: argumentsOf(code) };
}

function codeResult(result: unknown, pointer: Pointer): ResultMessage {
  const output = get(result, 'output');
  const outcome = getString(result, 'outcome');
  return {
    role: 'result',
    pointer,
    call: getString(result, 'id'),
    name: CODE_EXECUTION,
    value: output,
    valuePointer: output === undefined ? pointer : `${pointer}/output`,
    outcome:
      outcome === undefined || outcome === 'OUTCOME_UNSPECIFIED'
        ? undefined
        : outcome === 'OUTCOME_OK'
          ? 'ok'
          : 'error',
  };
}

/** Token counts of Gemini's API. Thoughts are not part of the candidates' tokens. */
export function geminiUsage(metadata: unknown): TokenUsage | undefined {
  const input = count(metadata, 'prompt_token_count', 'promptTokenCount');
  const output = count(metadata, 'candidates_token_count', 'candidatesTokenCount');
  if (input === undefined && output === undefined) return undefined;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedTokens: count(metadata, 'cached_content_token_count', 'cachedContentTokenCount'),
    reasoningTokens: count(metadata, 'thoughts_token_count', 'thoughtsTokenCount'),
    toolPromptTokens: count(metadata, 'tool_use_prompt_token_count', 'toolUsePromptTokenCount'),
  };
}

function count(metadata: unknown, ...keys: readonly string[]): number | undefined {
  const value = firstPresent(metadata, ...keys);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
