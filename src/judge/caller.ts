import { getNumber, getString, type JsonObject, parseJson } from '../core/json.ts';
import { createBreaker } from './breaker.ts';
import type { Budget } from './budget.ts';
import { callKeys } from './call-key.ts';
import { answerTokensOf, promptTokensOf } from './call-tokens.ts';
import type { ChatModel, Completion, Prompt } from './chat-model.ts';
import type { Clock } from './clock.ts';
import { type Failure, failureOf, NotSent } from './failure.ts';
import { ModelFault } from './fault.ts';
import type { JudgeUsage } from './judge.ts';
import type { Judgements } from './judgements.ts';
import { type Limiter, places } from './limiter.ts';
import { withRetries } from './retry.ts';
import type { JudgeSettings } from './settings.ts';
import { estimateTokens } from './tokens.ts';

/** What is sent in one call. */
export interface Call {
  /** What it asks, for the log. */
  readonly name: string;
  readonly prompt: Pick<Prompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
}

/** A call that was answered, now or at an earlier run. */
export interface Reply<C extends Call> {
  readonly status: 'replied';
  readonly call: C;
  readonly text: string;
  readonly finish: Completion['finish'];
  readonly cached: boolean;
  /** Keeps an answer to this call for later runs. */
  keep(text: string): void;
}

/** A call as `--verbose` shows it. */
export interface CallLog {
  readonly name: string;
  readonly prompt: Pick<Prompt, 'system' | 'parts'>;
  /** Null where there was none. */
  readonly answer: string | null;
  /** Why there was none: a sentence. */
  readonly failure: string | null;
  readonly usage: Completion['usage'];
  readonly cached: boolean;
  /** From the first attempt to the end of the last, in milliseconds. */
  readonly ms: number;
}

export interface CallerOptions {
  readonly judgements: Judgements | null;
  readonly limiter: Limiter;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly log?: ((call: CallLog) => void) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Gets calls answered: from the cache, or by the model as far as limits, budget and the server's state allow. */
export interface Caller {
  /**
   * Never rejects.
   *
   * @param build makes the call; it is made late, so that what waits takes no room.
   * @param sample from 0, when the same is asked several times.
   */
  call<C extends Call>(build: () => C, sample: number): Promise<Reply<C> | Failure>;
  readonly usage: JudgeUsage;
}

/** Calls that may be prepared for each one that may be under way: answers from the cache need not wait for the others. */
const PREPARED = 4;

const WEAKER = { schema: 'json', json: 'text', text: null } as const;

export function createCaller(model: ChatModel, settings: JudgeSettings, options: CallerOptions): Caller {
  const { judgements, limiter, budget, signal, log, clock, random } = options;
  const usage = { calls: 0, callsCached: 0, promptTokens: 0, completionTokens: 0, callsEstimated: 0 };
  const breaker = createBreaker(`${model.provider}/${model.model}`, clock);
  const prepare = places(PREPARED * settings.concurrency);
  const keyOf = callKeys(model, settings);
  const underWay = new Map<string, Promise<Completion>>();
  const countsTokens = limiter.countsTokens || budget.countsTokens;
  let structured = settings.structuredOutput === 'auto' ? 'schema' : settings.structuredOutput;

  /** One request. */
  async function request(call: Call, check: () => void): Promise<Completion> {
    const estimated = countsTokens ? promptTokensOf(call) + answerTokensOf(call) : 0;
    withinBudget(budget.reached);
    const correct = await limiter.spend(estimated, signal);
    signal.throwIfAborted();
    check();
    withinBudget(budget.take(estimated));
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
  async function requestInMode(call: Call, check: () => void): Promise<Completion> {
    const asked = structured;
    try {
      return await request(call, check);
    } catch (cause) {
      const weaker = WEAKER[asked];
      const isOfMode = cause instanceof ModelFault && cause.kind === 'structured_output';
      if (!isOfMode || settings.structuredOutput !== 'auto' || weaker === null) throw cause;
      // Others that were under way may have found out as well.
      if (structured === asked) structured = weaker;
      return requestInMode(call, check);
    }
  }

  /** Adds what a request cost. Gives its tokens. */
  function count(call: Call, { text, usage: counted }: Completion): number {
    if (counted === null) usage.callsEstimated += 1;
    const { promptTokens, completionTokens } = counted ?? {
      promptTokens: promptTokensOf(call),
      completionTokens: estimateTokens(text),
    };
    usage.promptTokens += promptTokens;
    usage.completionTokens += completionTokens;
    return promptTokens + completionTokens;
  }

  async function send(call: Call): Promise<Completion> {
    const leave = await limiter.enter(signal);
    const started = clock.now();
    const tell = (answer: Completion | null, failure: string | null) =>
      log?.({ ...told(call, answer), failure, cached: false, ms: clock.now() - started });
    try {
      // A call that waits before its next attempt keeps its place: nothing new is sent to a server that is in trouble.
      const answer = await breaker.run((check) =>
        withRetries(() => requestInMode(call, check), { signal, clock, random }),
      );
      tell(answer, null);
      return answer;
    } catch (cause) {
      if (cause instanceof ModelFault) tell(null, cause.message);
      throw cause;
    } finally {
      leave();
    }
  }

  async function answerTo(call: Call, key: string): Promise<{ answer: Completion; cached: boolean }> {
    const kept = judgements && answerIn(judgements.get(key));
    if (kept) {
      log?.({ ...told(call, kept), failure: null, cached: true, ms: 0 });
      return { answer: kept, cached: true };
    }
    const same = underWay.get(key);
    if (same) return { answer: await same, cached: true };
    const sent = send(call).finally(() => underWay.delete(key));
    underWay.set(key, sent);
    return { answer: await sent, cached: false };
  }

  async function prepared<C extends Call>(build: () => C, sample: number): Promise<Reply<C>> {
    const leave = await prepare(signal);
    try {
      const call = build();
      const key = keyOf({ ...call, sample });
      const { answer, cached } = await answerTo(call, key);
      if (cached) usage.callsCached += 1;
      const keep = (text: string) => judgements?.set(key, JSON.stringify({ text, ...answer.usage }));
      return { status: 'replied', call, text: answer.text, finish: answer.finish, cached, keep };
    } finally {
      leave();
    }
  }

  return { usage, call: (build, sample) => prepared(build, sample).catch((cause) => failureOf(cause, signal)) };
}

/** @param reached the sentence that says which limit is reached. */
function withinBudget(reached: string | null): void {
  if (reached !== null) throw new NotSent({ status: 'cancelled', reason: reached });
}

function told(
  { name, prompt }: Call,
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
function answerIn(kept: string | null): Completion | null {
  const value = kept === null ? undefined : parseJson(kept);
  const text = getString(value, 'text');
  if (text === undefined) return null;
  const promptTokens = getNumber(value, 'promptTokens');
  const completionTokens = getNumber(value, 'completionTokens');
  const isCounted = promptTokens !== undefined && completionTokens !== undefined;
  return { text, finish: 'stop', usage: isCounted ? { promptTokens, completionTokens } : null };
}
