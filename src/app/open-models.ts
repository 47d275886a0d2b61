import type { Configuration } from '../config/schema.ts';
import { EDITOR_PROVIDER } from '../core/editor-models.ts';
import { findModelServer } from '../core/model-servers.ts';
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
import { type CallLog, type ChatClient, type ChatClientOptions, createChatClient } from '../llm/chat-client.ts';
import type { ChatModel } from '../llm/chat-model.ts';
import { createCircuitBreaker } from '../llm/circuit-breaker.ts';
import { type Clock, SYSTEM_CLOCK } from '../llm/clock.ts';
import { createPatience, type Patience } from '../llm/patience.ts';
import { type EditorModels, editorChatModel } from '../llm/providers/editor.ts';
import { findProvider } from '../llm/providers/index.ts';
import { createRateLimiter, type RateLimiter, type RateLimits } from '../llm/rate-limiter.ts';
import { withRetries } from '../llm/retry.ts';
import { type FunctionRunner, NO_FUNCTIONS } from '../sandbox/function-runner.ts';
import type { Environment } from '../store/home.ts';
import { embedderFunction, functionChatModel, functionEmbeddingModel, judgeFunction } from './function-models.ts';
import type { PluggedJudge } from './plug-ins.ts';
import { type RequiredModel, requiredModels, requiredSimulator, type ServerModel } from './required-models.ts';

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
  /** The editor's own models; by default there is no editor. */
  readonly editorModels?: EditorModels | undefined;
  /** Calls a judge or an embedder that is a function; by default they are not called. */
  readonly functions?: FunctionRunner;
  /** Called when the run asks no more, because no model answers; with a sentence. */
  readonly onExhausted?: (sentence: string) => void;
  /** Makes the limits that all models share; by default, they are those of this process. */
  readonly createLimiter?: ((limits: RateLimits, clock: Clock) => RateLimiter) | undefined;
  /** For tests. */
  readonly clock?: Clock;
}

/**
 * Opens the judges and the embedder that a configuration names. They share one rate limiter, cache, budget and patience.
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
    editorModels,
    functions = NO_FUNCTIONS,
    onExhausted,
    createLimiter = createRateLimiter,
    clock = SYSTEM_CLOCK,
  }: OpenModelsOptions,
): OpenModels {
  const required = requiredModels(configuration);
  const { judge } = configuration;
  const patience = createPatience(judge.patienceMs, clock, onExhausted);
  const shared = {
    cache: answerCache,
    boundaryKey,
    limiter: createLimiter(judge, patience),
    budget: createBudget(judge),
    patience,
    clock,
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
      instead(chatModel(model, configuration, { env, editorModels })),
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
      { ...judge, questionsPerCall: judge.questionsPerCall ?? DEFAULT_QUESTIONS_PER_CALL },
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

/**
 * Opens the model that plays users: one that is named, or else the judge's. Its answers are not cached, since two attempts
 * would be one. Sends nothing. Null where there is no model.
 *
 * @param name such as `ollama:qwen3:8b`
 */
export function openSimulator(
  configuration: Configuration,
  env: Environment,
  options: ClientOptions,
): ChatClient | null {
  const required = requiredSimulator(configuration);
  return required && openClient(required, configuration, env, options);
}

type ClientOptions = Pick<OpenModelsOptions, 'signal' | 'log' | 'clock' | 'editorModels'> &
  Pick<ChatClientOptions, 'maxAttempts'>;

/** A client of one model, with limits of its own and without a cache. Sends nothing. */
export function openClient(
  model: RequiredModel,
  configuration: Configuration,
  env: Environment,
  { signal, log, clock = SYSTEM_CLOCK, maxAttempts, editorModels }: ClientOptions,
): ChatClient {
  const { judge } = configuration;
  const patience = createPatience(judge.patienceMs, clock);
  return createChatClient(chatModel(model, configuration, { env, editorModels }), judgeSettings(model, configuration), {
    cache: null,
    limiter: createRateLimiter(judge, patience),
    budget: createBudget(judge),
    patience,
    signal,
    log,
    clock,
    random: Math.random,
    maxAttempts,
  });
}

/** What an embedder shares with the judges of its run. */
interface EmbedderParts {
  readonly cache: AnswerCache | null;
  readonly limiter: RateLimiter;
  readonly patience: Patience;
  readonly clock: Clock;
}

/** As for a model that is not small. */
const DEFAULT_QUESTIONS_PER_CALL = 32;

function openFunctionEmbedder(
  configuration: Configuration,
  functions: FunctionRunner,
  shared: EmbedderParts,
): Embedder | null {
  const fn = embedderFunction(configuration);
  if (!fn) return null;
  const { timeoutMs, redact } = configuration.judge;
  const embedder = retryingEmbedder(remoteEmbedder(functionEmbeddingModel(fn, timeoutMs, functions)), shared);
  const cached = shared.cache && fn.isNamed ? cachedEmbedder(embedder, fn.provider, shared.cache) : embedder;
  return redact ? redactingEmbedder(cached) : cached;
}

function judgeSettings({ provider, baseUrl }: RequiredModel, { judge }: Configuration): JudgeSettings {
  return {
    ...judge,
    structuredOutput: structuredOutput(baseUrl, judge),
    questionsPerCall:
      judge.questionsPerCall ??
      (provider === EDITOR_PROVIDER ? DEFAULT_QUESTIONS_PER_CALL : findProvider(provider).questionsPerCall),
  };
}

/** `auto` finds out by an error, and some servers ignore the schema without one. */
function structuredOutput(
  baseUrl: string,
  { structuredOutput: configured }: Configuration['judge'],
): JudgeSettings['structuredOutput'] {
  return configured === 'auto' ? (findModelServer(baseUrl)?.structuredOutput ?? 'auto') : configured;
}

function chatModel(
  required: RequiredModel,
  { judge }: Configuration,
  { env, editorModels = null }: { readonly env: Environment; readonly editorModels?: EditorModels | null | undefined },
): ChatModel {
  const { provider, baseUrl } = required;
  const { temperature, timeoutMs, jsonFence } = judge;
  const settings = { ...required, temperature, timeoutMs, jsonFence };
  if (provider === EDITOR_PROVIDER) return editorChatModel(settings, editorModels);
  return findProvider(provider).createChatModel({ ...settings, key: readKey(baseUrl, env) });
}

/** Each request is sent once, and no vector is cached. Sends nothing yet. */
export function openServerEmbedder(
  required: ServerModel,
  { judge: { timeoutMs } }: Configuration,
  env: Environment,
): Embedder {
  const settings = { ...required, key: readKey(required.baseUrl, env), timeoutMs };
  return remoteEmbedder(findProvider(required.provider).createEmbeddingModel(settings));
}

function openEmbedder(
  required: ServerModel,
  configuration: Configuration,
  env: Environment,
  shared: EmbedderParts,
): Embedder {
  const embedder = retryingEmbedder(openServerEmbedder(required, configuration, env), shared);
  const cached = shared.cache ? cachedEmbedder(embedder, required.baseUrl, shared.cache) : embedder;
  return configuration.judge.redact ? redactingEmbedder(cached) : cached;
}

function redactingEmbedder(embedder: Embedder): Embedder {
  return { ...embedder, embed: (texts, signal) => embedder.embed(texts.map(redactSecrets), signal) };
}

/** Retries and gives up as judges do, under the same limits. */
function retryingEmbedder(embedder: Embedder, { limiter, patience, clock }: EmbedderParts): Embedder {
  const breaker = createCircuitBreaker(`${embedder.provider}/${embedder.model}`, clock);
  return {
    ...embedder,
    async embed(texts, signal) {
      const sending = AbortSignal.any([signal, patience.signal]);
      const leave = await limiter.acquire(sending);
      try {
        const retrying = { signal, clock: patience, random: Math.random };
        const send = () => patience.send(() => embedder.embed(texts, sending));
        return await patience.run(() => breaker.run(() => withRetries(send, retrying)));
      } finally {
        leave();
      }
    },
  };
}
