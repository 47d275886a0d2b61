import { createSemaphore } from '../core/async/semaphore.ts';
import { getNumber, getString, type JsonObject, parseJson } from '../core/json.ts';
import { type AnswerCache, createCacheKey } from './answer-cache.ts';
import type { Budget } from './budget.ts';
import { estimateAnswerTokens, estimatePromptTokens } from './call-tokens.ts';
import type { ChatModel, ChatPrompt, Completion } from './chat-model.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { type MissingAnswer, ModelError, RequestSkipped, toMissingAnswer } from './model-error.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { withRetries } from './retry.ts';
import type { JudgeSettings } from './settings.ts';
import { estimateTokens } from './token-estimate.ts';
import type { JudgeUsage } from './usage.ts';

/** What is sent in one call. */
export interface ModelCall {
  /** What it asks, for the log. */
  readonly name: string;
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
}

/** A call that was answered, now or at an earlier run. */
export interface ModelReply<C extends ModelCall> {
  readonly status: 'replied';
  readonly call: C;
  readonly text: string;
  readonly finish: Completion['finish'];
  readonly cached: boolean;
  /** Stores an answer to this call for later runs. Never rejects. */
  cache(text: string): Promise<void>;
}

/** A call as `--verbose` shows it. */
export interface CallLog {
  readonly name: string;
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  /** Null where there was none. */
  readonly answer: string | null;
  /** Why there was none: a sentence. */
  readonly failure: string | null;
  readonly usage: Completion['usage'];
  readonly cached: boolean;
  /** From the first attempt to the end of the last, in milliseconds. */
  readonly ms: number;
}

export interface ChatClientOptions {
  readonly cache: AnswerCache | null;
  readonly limiter: RateLimiter;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly log?: ((call: CallLog) => void) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Gets calls answered: from the cache, or by the model as far as limits, budget and the server's state allow. */
export interface ChatClient {
  /**
   * Never rejects.
   *
   * @param build makes the call; it is made late, so that what waits takes no room.
   * @param sample from 0, when the same is asked several times.
   */
  call<C extends ModelCall>(build: () => C, sample: number): Promise<ModelReply<C> | MissingAnswer>;
  readonly usage: JudgeUsage;
}

/** Calls that may be prepared for each one that may be under way: answers from the cache need not wait for the others. */
const PREPARED_PER_SLOT = 4;

const WEAKER_MODE = { schema: 'json', json: 'text', text: null } as const;

export function createChatClient(model: ChatModel, settings: JudgeSettings, options: ChatClientOptions): ChatClient {
  const { cache: answerCache, limiter, budget, signal, log, clock, random } = options;
  const usage = { calls: 0, callsCached: 0, promptTokens: 0, completionTokens: 0, callsEstimated: 0 };
  const breaker = createCircuitBreaker(`${model.provider}/${model.model}`, clock);
  const prepare = createSemaphore(PREPARED_PER_SLOT * settings.concurrency);
  const keyOf = createCacheKey(model, settings);
  const underWay = new Map<string, Promise<Completion>>();
  const countsTokens = limiter.countsTokens || budget.countsTokens;
  let structured = settings.structuredOutput === 'auto' ? 'schema' : settings.structuredOutput;

  /** One request. */
  async function request(call: ModelCall, check: () => void): Promise<Completion> {
    const estimated = countsTokens ? estimatePromptTokens(call) + estimateAnswerTokens(call) : 0;
    checkBudget(budget.limitReached);
    const correct = await limiter.reserve(estimated, signal);
    signal.throwIfAborted();
    check();
    checkBudget(budget.consume(estimated));
    usage.calls += 1;
    let actual = 0;
    try {
      const completion = await model.complete({ ...call.prompt, schema: call.schema, structured }, signal);
      actual = count(call, completion);
      return completion;
    } finally {
      correct(actual);
      budget.correct(estimated, actual);
    }
  }

  /** One request, in the strongest mode that the server takes. */
  async function requestInMode(call: ModelCall, check: () => void): Promise<Completion> {
    const asked = structured;
    try {
      return await request(call, check);
    } catch (cause) {
      const weaker = WEAKER_MODE[asked];
      const isOfMode = cause instanceof ModelError && cause.kind === 'structured_output';
      if (!isOfMode || settings.structuredOutput !== 'auto' || weaker === null) throw cause;
      // Others that were under way may have found out as well.
      if (structured === asked) structured = weaker;
      return requestInMode(call, check);
    }
  }

  /** Adds what a request cost. Gives its tokens. */
  function count(call: ModelCall, { text, usage: counted }: Completion): number {
    if (counted === null) usage.callsEstimated += 1;
    const { promptTokens, completionTokens } = counted ?? {
      promptTokens: estimatePromptTokens(call),
      completionTokens: estimateTokens(text),
    };
    usage.promptTokens += promptTokens;
    usage.completionTokens += completionTokens;
    return promptTokens + completionTokens;
  }

  async function send(call: ModelCall): Promise<Completion> {
    const leave = await limiter.acquire(signal);
    const started = clock.now();
    const tell = (answer: Completion | null, failure: string | null) =>
      log?.({ ...logEntry(call, answer), failure, cached: false, ms: clock.now() - started });
    try {
      // A call that waits before its next attempt keeps its place: nothing new is sent to a server that is in trouble.
      const answer = await breaker.run((check) =>
        withRetries(() => requestInMode(call, check), { signal, clock, random }),
      );
      tell(answer, null);
      return answer;
    } catch (cause) {
      if (cause instanceof ModelError) tell(null, cause.message);
      throw cause;
    } finally {
      leave();
    }
  }

  async function answerTo(call: ModelCall, key: string): Promise<{ answer: Completion; cached: boolean }> {
    const cached = answerCache && !underWay.has(key) ? parseCachedAnswer(await answerCache.get(key)) : null;
    if (cached) {
      log?.({ ...logEntry(call, cached), failure: null, cached: true, ms: 0 });
      return { answer: cached, cached: true };
    }
    const same = underWay.get(key);
    if (same) return { answer: await same, cached: true };
    const sent = send(call).finally(() => underWay.delete(key));
    underWay.set(key, sent);
    return { answer: await sent, cached: false };
  }

  async function prepared<C extends ModelCall>(build: () => C, sample: number): Promise<ModelReply<C>> {
    const leave = await prepare(signal);
    try {
      const call = build();
      const key = keyOf({ ...call, sample });
      const { answer, cached } = await answerTo(call, key);
      if (cached) usage.callsCached += 1;
      const cache = async (text: string) => {
        await answerCache?.put(key, JSON.stringify({ text, ...answer.usage }));
      };
      return { status: 'replied', call, text: answer.text, finish: answer.finish, cached, cache };
    } finally {
      leave();
    }
  }

  return { usage, call: (build, sample) => prepared(build, sample).catch((cause) => toMissingAnswer(cause, signal)) };
}

/** @param reached the sentence that says which limit is reached. */
function checkBudget(reached: string | null): void {
  if (reached !== null) throw new RequestSkipped({ status: 'cancelled', reason: reached });
}

function logEntry(
  { name, prompt }: ModelCall,
  answer: Completion | null,
): Pick<CallLog, 'name' | 'prompt' | 'answer' | 'usage'> {
  return {
    name,
    prompt: { system: prompt.system, parts: prompt.parts },
    answer: answer?.text ?? null,
    usage: answer?.usage ?? null,
  };
}

/** An answer as it was kept; null where it is none. */
function parseCachedAnswer(kept: string | null): Completion | null {
  const value = kept === null ? undefined : parseJson(kept);
  const text = getString(value, 'text');
  if (text === undefined) return null;
  const promptTokens = getNumber(value, 'promptTokens');
  const completionTokens = getNumber(value, 'completionTokens');
  const isCounted = promptTokens !== undefined && completionTokens !== undefined;
  return { text, finish: 'stop', usage: isCounted ? { promptTokens, completionTokens } : null };
}
