import { createSemaphore } from '../core/async/semaphore.ts';
import { get, getString, type JsonObject, parseJson } from '../core/json.ts';
import { redactJsonText } from '../core/secrets.ts';
import { estimateTokens } from '../core/text/estimate-tokens.ts';
import { type AnswerCache, createCacheKey } from './answer-cache.ts';
import type { Budget } from './budget.ts';
import {
  type ChatMessage,
  type ChatModel,
  type ChatPrompt,
  type ChatSettings,
  type Completion,
  toUsage,
} from './chat-model.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { type MissingAnswer, ModelError, RequestSkipped, toMissingAnswer } from './model-error.ts';
import type { Patience } from './patience.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { withRetries } from './retry.ts';
import { estimateAnswerTokens, estimatePromptTokens } from './token-estimate.ts';

/** One call whose answer has to match a schema. */
export interface ModelCall {
  /** What it asks, for the log. */
  readonly name: string;
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  /** As in `ChatPrompt`. */
  readonly schema: JsonObject;
  readonly exactSchema?: () => JsonObject;
  /** Answers to the same prompt that was asked in another manner are not used. */
  readonly manner?: string | undefined;
}

/** A call that was answered, now or in an earlier run. */
export interface ModelReply<C extends ModelCall> {
  readonly status: 'replied';
  readonly call: C;
  readonly text: string;
  readonly finish: Completion['finish'];
  readonly cached: boolean;
  /** Stores an answer to this call for later runs. Never rejects. */
  cache(text: string): Promise<void>;
  /** What another call would have been replied, where this call asks what that one asks and more. */
  partFor<Other extends ModelCall>(call: Other, sample: number, text: string): ModelReply<Other>;
}

/** A call before it is asked. */
export interface RecalledCall<C extends ModelCall> {
  readonly status: 'recalled';
  readonly call: C;
  /** Of an earlier run; null: there is none. */
  readonly reply: ModelReply<C> | null;
}

/** A message of a plain chat that was answered. */
export interface ChatReply {
  readonly status: 'replied';
  readonly text: string;
  readonly finish: Completion['finish'];
}

/** A call as `--verbose` shows it. */
export interface CallLog {
  readonly name: string;
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  /** Null if there was none. */
  readonly answer: string | null;
  /** Why there was none: a sentence. */
  readonly failure: string | null;
  readonly usage: Completion['usage'];
  readonly cached: boolean;
  /** From the first attempt to the end of the last, in milliseconds. */
  readonly ms: number;
}

/** What the calls of one model cost. Tokens are the server's count, or an estimate if it gives none. */
export interface ModelUsage {
  readonly calls: number;
  readonly callsCached: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Calls whose tokens are estimated. */
  readonly callsEstimated: number;
}

/** Counts what calls cost. */
export type UsageMeter = { -readonly [Count in keyof ModelUsage]: number };

export function createUsageMeter(): UsageMeter {
  return { calls: 0, callsCached: 0, promptTokens: 0, completionTokens: 0, callsEstimated: 0 };
}

export interface ChatClientOptions {
  readonly cache: AnswerCache | null;
  readonly limiter: RateLimiter;
  readonly budget: Budget;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly log?: ((call: CallLog) => void) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Of a request; default: as many as may help. */
  readonly maxAttempts?: number | undefined;
}

/** Gets answers from one model, or from the cache, within limits and budget, with retries. Never rejects. */
export interface ChatClient {
  /**
   * Gets an answer that has to match a schema.
   *
   * @param build creates the call; it is called late, so that waiting calls take no memory.
   * @param sample from 0, when the same questions are asked several times.
   * @param meter counts the call besides `usage`. A call that shares the request of another is a cached one.
   */
  complete<C extends ModelCall>(
    build: () => C,
    sample: number,
    meter?: UsageMeter,
  ): Promise<ModelReply<C> | MissingAnswer>;
  /** Looks for the answer of an earlier run. Asks nothing. The parameters are those of `complete`. */
  recall<C extends ModelCall>(
    build: () => C,
    sample: number,
    meter?: UsageMeter,
  ): Promise<RecalledCall<C> | MissingAnswer>;
  /** Gets the next message of a conversation, as plain text. It is not cached. @param name for the log */
  chat(name: string, messages: readonly ChatMessage[]): Promise<ChatReply | MissingAnswer>;
  readonly usage: ModelUsage;
  /** The models that answered, as their server names them, cached answers included; empty where it does not. */
  readonly versions: ReadonlySet<string>;
}

/** Calls that are prepared for each one in progress: cached answers need not wait for the others. */
const PREPARED_PER_SLOT = 4;

const MAX_VERSIONS = 8;
const MAX_VERSION_LENGTH = 200;

const WEAKER_MODE = { schema: 'json', json: 'text', text: null } as const;

/** What limits and log need to know about a request. */
interface Request {
  readonly name: string;
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  /** Count it. */
  readonly meters: readonly UsageMeter[];
  promptTokens(): number;
  answerTokens(): number;
  /** Sends it once. */
  send(): Promise<Completion>;
}

export function createChatClient(model: ChatModel, settings: ChatSettings, options: ChatClientOptions): ChatClient {
  const { cache: answerCache, limiter, budget, patience, signal, log, clock, random, maxAttempts } = options;
  const retrying = { signal, clock: patience, random, maxAttempts };
  /** Of requests: cached answers are used even when no request is sent any more. */
  const sending = AbortSignal.any([signal, patience.signal]);
  const usage = createUsageMeter();
  const versions = new Set<string>();
  const breaker = createCircuitBreaker(`${model.provider}/${model.model}`, clock);
  const prepare = createSemaphore(PREPARED_PER_SLOT * settings.concurrency);
  const cacheKey = createCacheKey(model, settings);
  const inProgress = new Map<string, Promise<Completion>>();
  const countsTokens = limiter.countsTokens || budget.countsTokens;
  let mode = settings.structuredOutput === 'auto' ? 'schema' : settings.structuredOutput;

  /** Sends a request once, within limits and budget. */
  async function sendOnce(request: Request, check: () => void): Promise<Completion> {
    const estimated = countsTokens ? request.promptTokens() + request.answerTokens() : 0;
    checkBudget(budget.limitReached);
    const correct = await limiter.reserve(estimated, sending);
    sending.throwIfAborted();
    patience.check();
    check();
    checkBudget(budget.consume(estimated));
    for (const meter of request.meters) meter.calls += 1;
    let actual = 0;
    try {
      const completion = await patience.send(request.send);
      actual = countUsage(request, completion);
      return completion;
    } finally {
      correct(actual);
      budget.correct(estimated, actual);
    }
  }

  /** @returns the tokens of a request. */
  function countUsage(request: Request, { text, usage: counted }: Completion): number {
    const { promptTokens, completionTokens } = counted ?? {
      promptTokens: request.promptTokens(),
      completionTokens: estimateTokens(text),
    };
    for (const meter of request.meters) {
      if (counted === null) meter.callsEstimated += 1;
      meter.promptTokens += promptTokens;
      meter.completionTokens += completionTokens;
    }
    return promptTokens + completionTokens;
  }

  /** Sends a request until it is answered or retrying does not help. */
  async function send(request: Request, attempt = sendOnce): Promise<Completion> {
    const release = await limiter.acquire(sending);
    const started = clock.now();
    const logCall = (answer: Completion | null, failure: string | null) =>
      log?.({ ...logEntry(request, answer), failure, cached: false, ms: clock.now() - started });
    try {
      // A call that waits for its next attempt keeps its slot: a server in trouble gets no new requests.
      const answer = await patience.run(() =>
        breaker.run((check) => withRetries(() => attempt(request, check), retrying)),
      );
      logCall(answer, null);
      return answer;
    } catch (cause) {
      if (cause instanceof ModelError) logCall(null, cause.message);
      throw cause;
    } finally {
      release();
    }
  }

  /** Sends a request in the strongest mode that the server supports. */
  async function sendInMode(request: Request, check: () => void): Promise<Completion> {
    const usedMode = mode;
    try {
      return await sendOnce(request, check);
    } catch (cause) {
      const weaker = WEAKER_MODE[usedMode];
      const rejectsMode = cause instanceof ModelError && cause.kind === 'structured_output';
      if (!rejectsMode || settings.structuredOutput !== 'auto' || weaker === null) throw cause;
      // Another call may have found out in the meantime.
      if (mode === usedMode) mode = weaker;
      return sendInMode(request, check);
    }
  }

  async function cachedAnswer(call: ModelCall, key: string): Promise<Completion | null> {
    const cached = answerCache && !inProgress.has(key) ? parseCachedAnswer(await answerCache.get(key)) : null;
    if (cached) log?.({ ...logEntry(call, cached), failure: null, cached: true, ms: 0 });
    return cached;
  }

  async function answer(
    call: ModelCall,
    key: string,
    meters: readonly UsageMeter[],
  ): Promise<{ completion: Completion; cached: boolean }> {
    const cached = await cachedAnswer(call, key);
    if (cached) return { completion: cached, cached: true };
    const same = inProgress.get(key);
    if (same) return { completion: await same, cached: true };
    const { schema, exactSchema = () => schema } = call;
    const request: Request = {
      name: call.name,
      prompt: call.prompt,
      meters,
      promptTokens: () => estimatePromptTokens(call),
      answerTokens: () => estimateAnswerTokens(call),
      send: () => model.complete({ ...call.prompt, schema, exactSchema, structured: mode }, sending),
    };
    const sent = send(request, sendInMode).finally(() => inProgress.delete(key));
    inProgress.set(key, sent);
    return { completion: await sent, cached: false };
  }

  /** A server can name a model of its own for every answer: only the first names say something. */
  function noteVersion(version: string | undefined): void {
    if (version !== undefined && versions.size < MAX_VERSIONS) versions.add(version.slice(0, MAX_VERSION_LENGTH));
  }

  async function complete<C extends ModelCall>(
    build: () => C,
    sample: number,
    meters: readonly UsageMeter[],
  ): Promise<ModelReply<C>> {
    const release = await prepare(signal);
    try {
      const call = build();
      const key = cacheKey({ ...call, sample });
      const { completion, cached } = await answer(call, key, meters);
      return toReply(call, key, completion, cached, meters);
    } finally {
      release();
    }
  }

  async function recall<C extends ModelCall>(
    build: () => C,
    sample: number,
    meters: readonly UsageMeter[],
  ): Promise<RecalledCall<C>> {
    const release = await prepare(signal);
    try {
      const call = build();
      const key = cacheKey({ ...call, sample });
      const cached = await cachedAnswer(call, key);
      return { status: 'recalled', call, reply: cached && toReply(call, key, cached, true, meters) };
    } finally {
      release();
    }
  }

  function toReply<C extends ModelCall>(
    call: C,
    key: string,
    completion: Completion,
    cached: boolean,
    meters: readonly UsageMeter[] = [],
  ): ModelReply<C> {
    if (cached) for (const meter of meters) meter.callsCached += 1;
    const { text, finish, version } = completion;
    noteVersion(version);
    return {
      status: 'replied',
      call,
      text,
      finish,
      cached,
      async cache(text) {
        await answerCache?.put(key, JSON.stringify({ text: redactJsonText(text), ...completion.usage, version }));
      },
      partFor: (other, sample, text) =>
        // What a part cost is not known.
        toReply(other, cacheKey({ ...other, sample }), { ...completion, text, usage: null }, cached),
    };
  }

  async function chat(name: string, messages: readonly ChatMessage[]): Promise<ChatReply> {
    const { text, finish, version } = await send({
      name,
      prompt: { system: '', parts: messages.map(({ content }) => content) },
      meters: [usage],
      promptTokens: () => messages.reduce((sum, { content }) => sum + estimateTokens(content), 0),
      // About as much as the longest message so far.
      answerTokens: () => Math.max(...messages.map(({ content }) => estimateTokens(content))),
      send: () => model.chat(messages, sending),
    });
    noteVersion(version);
    return { status: 'replied', text, finish };
  }

  const orMissing = (cause: unknown) => toMissingAnswer(cause, signal);
  return {
    usage,
    versions,
    complete: (build, sample, meter) => complete(build, sample, meter ? [usage, meter] : [usage]).catch(orMissing),
    recall: (build, sample, meter) => recall(build, sample, meter ? [usage, meter] : [usage]).catch(orMissing),
    chat: (name, messages) => chat(name, messages).catch(orMissing),
  };
}

/** @param limitReached the sentence that names the limit. */
function checkBudget(limitReached: string | null): void {
  if (limitReached !== null) throw new RequestSkipped({ status: 'cancelled', reason: limitReached });
}

function logEntry(
  { name, prompt }: Pick<ModelCall, 'name' | 'prompt'>,
  answer: Completion | null,
): Pick<CallLog, 'name' | 'prompt' | 'answer' | 'usage'> {
  return {
    name,
    prompt: { system: prompt.system, parts: prompt.parts },
    answer: answer?.text ?? null,
    usage: answer?.usage ?? null,
  };
}

/** Null if it is not an answer. */
function parseCachedAnswer(cached: string | null): Completion | null {
  const value = cached === null ? undefined : parseJson(cached);
  const text = getString(value, 'text');
  if (text === undefined) return null;
  const usage = toUsage(get(value, 'promptTokens'), get(value, 'completionTokens'));
  return { text, finish: 'stop', usage, version: getString(value, 'version') };
}
