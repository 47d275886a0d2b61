import type { Configuration } from '../config/schema.ts';
import { redactSecrets } from '../core/secrets.ts';
import { cachedEmbedder } from '../embed/cached-embedder.ts';
import type { Embedder } from '../embed/embedder.ts';
import { remoteEmbedder } from '../embed/remote.ts';
import type { Judges } from '../engine/judges.ts';
import type { Judge, JudgeSettings } from '../judge/judge.ts';
import { createJudge } from '../judge/judge.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import { readKey } from '../llm/api-keys.ts';
import { createBudget } from '../llm/budget.ts';
import type { CallLog } from '../llm/chat-client.ts';
import type { ChatModel } from '../llm/chat-model.ts';
import { createCircuitBreaker } from '../llm/circuit-breaker.ts';
import { SYSTEM_CLOCK } from '../llm/clock.ts';
import { findProvider } from '../llm/providers/index.ts';
import { createRateLimiter, type RateLimiter } from '../llm/rate-limiter.ts';
import { withRetries } from '../llm/retry.ts';
import { type FunctionRunner, NO_FUNCTIONS } from '../sandbox/function-runner.ts';
import type { Environment } from '../store/home.ts';
import { embedderFunction, functionChatModel, functionEmbeddingModel, judgeFunction } from './function-models.ts';
import type { PluggedJudge } from './plug-ins.ts';
import { type RequiredModel, requiredModels } from './required-models.ts';

/** The models that a configuration names. */
export interface OpenModels {
  readonly judges: Judges;
  /** Null if no model embeds. */
  readonly embedder: Embedder | null;
}

export interface OpenModelsOptions {
  readonly signal: AbortSignal;
  /** Cached answers; null to ignore the cache. */
  readonly answerCache: AnswerCache | null;
  /** Draws the boundaries of prompts. */
  readonly boundaryKey: Uint8Array;
  /** Called for each call, with its answer. */
  readonly log?: ((call: CallLog) => void) | undefined;
  /** Replaces each model. */
  readonly replaceModel?: (model: ChatModel) => ChatModel;
  /** Asked instead of the judge that the configuration names. */
  readonly judge?: PluggedJudge | undefined;
  /** Calls a judge or an embedder that is a function; by default they are not called. */
  readonly functions?: FunctionRunner;
}

/**
 * Opens the judges and the embedder that a configuration names. They share one rate limiter, one cache and one budget.
 * Sends nothing.
 */
export function openModels(
  configuration: Configuration,
  env: Environment,
  {
    signal,
    answerCache,
    boundaryKey,
    log,
    replaceModel: instead = (model) => model,
    judge: plugged,
    functions = NO_FUNCTIONS,
  }: OpenModelsOptions,
): OpenModels {
  const required = requiredModels(configuration);
  const { judge } = configuration;
  const shared = {
    cache: answerCache,
    boundaryKey,
    limiter: createRateLimiter(judge),
    budget: createBudget(judge),
    signal,
    log,
  };
  const judges = new Map<string, Judge>();
  /** Metrics with the same model share a judge, and with it its batches. */
  const judgeOf = (model: RequiredModel): Judge => {
    const key = JSON.stringify(model);
    const known = judges.get(key);
    if (known) return known;
    const created = createJudge(
      instead(chatModel(model, configuration, env)),
      judgeSettings(model, configuration),
      shared,
    );
    judges.set(key, created);
    return created;
  };
  const openPluggedJudge = ({ provider, model }: PluggedJudge): Judge => {
    const { temperature, timeoutMs, jsonFence, headers, query, extraBody } = judge;
    const baseUrl = judge.baseUrl ?? provider.defaultBaseUrl;
    const key = readKey(baseUrl, env);
    const settings = { model, baseUrl, key, temperature, timeoutMs, jsonFence, headers, query, extraBody };
    const { questionsPerCall = provider.questionsPerCall } = judge;
    return createJudge(instead(provider.createChatModel(settings)), { ...judge, questionsPerCall }, shared);
  };
  const fn = judgeFunction(configuration);
  const functionJudge =
    fn &&
    createJudge(
      instead(functionChatModel(fn, judge, functions)),
      { ...judge, questionsPerCall: judge.questionsPerCall ?? FUNCTION_QUESTIONS_PER_CALL },
      { ...shared, cache: fn.isNamed ? answerCache : null },
    );
  return {
    judges: {
      defaultJudge:
        (plugged && openPluggedJudge(plugged)) ?? functionJudge ?? (required.judge && judgeOf(required.judge)),
      byMetric: new Map(Array.from(required.byMetric, ([metric, model]) => [metric, judgeOf(model)] as const)),
    },
    embedder:
      openFunctionEmbedder(configuration, functions, shared) ??
      (required.embedder && openEmbedder(required.embedder, configuration, env, shared)),
  };
}

/** As for a model that is not small. */
const FUNCTION_QUESTIONS_PER_CALL = 32;

function openFunctionEmbedder(
  configuration: Configuration,
  functions: FunctionRunner,
  { cache, limiter }: { readonly cache: AnswerCache | null; readonly limiter: RateLimiter },
): Embedder | null {
  const fn = embedderFunction(configuration);
  if (!fn) return null;
  const { timeoutMs, redact } = configuration.judge;
  const embedder = retryingEmbedder(remoteEmbedder(functionEmbeddingModel(fn, timeoutMs, functions)), limiter);
  const cached = cache && fn.isNamed ? cachedEmbedder(embedder, fn.provider, cache) : embedder;
  return redact ? redactingEmbedder(cached) : cached;
}

function judgeSettings({ provider }: RequiredModel, { judge }: Configuration): JudgeSettings {
  return { ...judge, questionsPerCall: judge.questionsPerCall ?? findProvider(provider).questionsPerCall };
}

function chatModel(required: RequiredModel, { judge }: Configuration, env: Environment): ChatModel {
  const { temperature, timeoutMs, jsonFence } = judge;
  const settings = { ...required, key: readKey(required.baseUrl, env), temperature, timeoutMs, jsonFence };
  return findProvider(required.provider).createChatModel(settings);
}

function openEmbedder(
  required: RequiredModel,
  { judge }: Configuration,
  env: Environment,
  { cache, limiter }: { readonly cache: AnswerCache | null; readonly limiter: RateLimiter },
): Embedder {
  const settings = { ...required, key: readKey(required.baseUrl, env), timeoutMs: judge.timeoutMs };
  const model = findProvider(required.provider).createEmbeddingModel(settings);
  const embedder = retryingEmbedder(remoteEmbedder(model), limiter);
  const cached = cache ? cachedEmbedder(embedder, required.baseUrl, cache) : embedder;
  return judge.redact ? redactingEmbedder(cached) : cached;
}

function redactingEmbedder(embedder: Embedder): Embedder {
  return { ...embedder, embed: (texts, signal) => embedder.embed(texts.map(redactSecrets), signal) };
}

/** Retries and gives up as judges do, under the same limits. */
function retryingEmbedder(embedder: Embedder, limiter: RateLimiter): Embedder {
  const breaker = createCircuitBreaker(`${embedder.provider}/${embedder.model}`, SYSTEM_CLOCK);
  return {
    ...embedder,
    async embed(texts, signal) {
      const leave = await limiter.acquire(signal);
      try {
        const retrying = { signal, clock: SYSTEM_CLOCK, random: Math.random };
        return await breaker.run(() => withRetries(() => embedder.embed(texts, signal), retrying));
      } finally {
        leave();
      }
    },
  };
}
