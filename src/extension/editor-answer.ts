import { raceAbort } from '../core/async/race-abort.ts';
import type { EditorModelAnswer, EditorModelFailure, EditorModelRequest } from '../core/editor-models.ts';
import { getString, isObject } from '../core/json.ts';

/** The only tool that a model is given: it takes the answer. */
export const ANSWER_TOOL = {
  name: 'turnwise_answer',
  description: 'Takes your answer to all questions. Call it once, and write nothing else.',
} as const;

/** One of the editor's models, as far as it is asked. */
export interface AskableModel {
  readonly maxInputTokens: number;
  /** Resolves when the request was accepted. What goes wrong later is thrown by the stream. */
  send(request: EditorModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  countTokens(text: string, signal: AbortSignal): Promise<number>;
}

interface AskOptions {
  readonly signal: AbortSignal;
  /** Whether the editor asks the user for consent first, which takes as long as it takes. */
  readonly asksUser: boolean;
}

/** Of an answer, in characters. */
const MAX_ANSWER_LENGTH = 2_000_000;
/** A tokenizer that takes longer is not waited for. */
const COUNT_LIMIT_MS = 2_000;

/** Asks a model once. Never rejects, and never gives an answer after it was cancelled or took too long. */
export async function askModel(
  model: AskableModel,
  request: EditorModelRequest,
  { signal, asksUser }: AskOptions,
): Promise<EditorModelAnswer> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    timer ??= setTimeout(() => stop.abort(), request.timeoutMs);
  };
  const ask = async (): Promise<EditorModelAnswer> => {
    const { messages, schema } = request;
    const promptTokens = await countTokens(model, [...messages, ...(schema ? [JSON.stringify(schema)] : [])], either);
    if (promptTokens !== null && promptTokens > model.maxInputTokens) {
      return failed('too_long', `it takes ${model.maxInputTokens} tokens, and these are ${promptTokens}`);
    }
    if (either.aborted) return failed('cancelled', '');
    if (!asksUser) startTimer();
    const stream = await model.send(request, either);
    startTimer();
    const read = await readAnswer(stream, either);
    if ('status' in read) return read;
    const completionTokens = await countTokens(model, [read.text], either);
    const usage = promptTokens === null || completionTokens === null ? null : { promptTokens, completionTokens };
    return { status: 'answered', ...read, usage };
  };
  try {
    const answer = await raceAbort(ask().catch(describeError), either);
    if (signal.aborted) return failed('cancelled', '');
    return answer ?? failed('timeout', '');
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

export function failed(cause: EditorModelFailure, message: string): Extract<EditorModelAnswer, { status: 'failed' }> {
  return { status: 'failed', cause, message };
}

/** Null where the model does not count them. */
async function countTokens(model: AskableModel, texts: readonly string[], signal: AbortSignal): Promise<number | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(COUNT_LIMIT_MS)]);
  const counting = Promise.all(texts.map((text) => model.countTokens(text, limit)));
  const counts = await raceAbort(
    counting.catch(() => null),
    limit,
  );
  if (!counts?.every((count) => Number.isInteger(count) && count >= 0)) return null;
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Reads the parts of a stream: text, and calls of tools. Other parts, such as thoughts, say nothing. */
async function readAnswer(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly isToolCall: boolean } | EditorModelAnswer> {
  const words: string[] = [];
  const input = new ToolInput();
  let otherTool: string | null = null;
  let length = 0;
  try {
    for await (const part of stream) {
      // The model may go on after nobody waits for it any more.
      if (signal.aborted) return failed('cancelled', '');
      if (!isObject(part)) continue;
      const tool = getString(part, 'name');
      const text = getString(part, 'value');
      if (tool === ANSWER_TOOL.name) length += input.add(part.input);
      else if (tool !== undefined && 'callId' in part) otherTool = tool;
      else if (text !== undefined) {
        words.push(text);
        length += text.length;
      }
      if (length > MAX_ANSWER_LENGTH) return failed('endless', `it wrote more than ${MAX_ANSWER_LENGTH} characters`);
    }
  } catch (error) {
    const { cause, message } = describeError(error);
    return failed(cause === 'other' && length > 0 ? 'cut' : cause, message);
  }
  if (input.text !== null) return { text: input.text, isToolCall: true };
  const text = words.join('');
  if (text.trim() !== '') return { text, isToolCall: false };
  return otherTool === null ? failed('empty', '') : failed('other_tool', otherTool);
}

/** The input of all calls of the tool. Providers give objects, and some give JSON as text, or pieces of it. */
class ToolInput {
  #fields: object | null = null;
  #pieces = '';

  /** @returns how long it is. */
  add(input: unknown): number {
    if (typeof input === 'string') {
      this.#pieces += input;
      return input.length;
    }
    if (!isObject(input)) return 0;
    // A model that calls the tool once for each question has answered all of them.
    this.#fields = { ...this.#fields, ...input };
    return JSON.stringify(input).length;
  }

  /** As JSON; null where the tool was not called. */
  get text(): string | null {
    if (this.#pieces.trim() !== '') return this.#pieces;
    return this.#fields && JSON.stringify(this.#fields);
  }
}

/** What an error of the editor, or of an extension that provides models, means. */
export function describeError(error: unknown): Extract<EditorModelAnswer, { status: 'failed' }> {
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : '';
  const code = getString(error, 'code') ?? '';
  const inner = error instanceof Error ? getString(error.cause, 'name') : undefined;
  const names = [code, getString(error, 'name'), inner, message].join(' ');
  if (code === 'NoPermissions') return failed('consent', message);
  if (code === 'NotFound') return failed('gone', message);
  if (/rate.?limit/i.test(names)) return failed('rate_limit', message);
  if (code === 'Blocked' || /quota/i.test(names)) return failed('quota', message);
  if (/\bCancell?ed\b|\bCancellationError\b/.test(names)) return failed('cancelled', message);
  return failed('other', message);
}
