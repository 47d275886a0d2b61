import type { Configuration } from '../config/schema.ts';
import type { Session } from '../core/session.ts';
import { lexicalEmbedder } from '../embed/lexical.ts';
import { evaluateSessions } from '../engine/evaluate.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import type { EditorModels } from '../llm/providers/editor.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { dataFolder, type Environment } from '../store/home.ts';
import { openStore } from '../store/store.ts';
import { estimatingModel } from './estimating-model.ts';
import { openModels } from './open-models.ts';

/** The expected usage of a run. Tokens are estimated; retries and hidden reasoning tokens are not included. */
export interface UsageEstimate {
  readonly judgeCalls: number;
  /** Answered from the cache. */
  readonly judgeCallsCached: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Texts to embed, including those in the cache. */
  readonly embeddedTexts: number;
  readonly cost?: number;
}

export interface EstimateOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Whether cached answers count. */
  readonly cache: boolean;
  /** Only this turn of each session, zero-based. */
  readonly turn?: number;
  /** The editor's own models: which answers are cached depends on their versions. */
  readonly editorModels?: EditorModels | undefined;
}

/**
 * Runs everything except the models. They are replaced by a model that answers at once, and none of its answers is
 * stored.
 */
export async function estimateUsage(
  sessions: readonly Session[],
  configuration: Configuration,
  { env, signal, cache, turn, editorModels }: EstimateOptions,
): Promise<UsageEstimate> {
  using store = openStore(dataFolder(env), { warn() {} });
  const hasAnswers = cache && (store.contents()?.entries ?? 0) > 0;
  const answerCache: AnswerCache | null = hasAnswers
    ? { get: (key) => store.answerCache.get(key), async put() {} }
    : null;
  const { boundaryKey } = store;
  const { judges, embedder } = openModels(withoutLimits(configuration), env, {
    signal,
    answerCache,
    boundaryKey,
    editorModels,
    replaceModel: estimatingModel,
  });
  const report = await evaluateSessions({
    sessions,
    configuration,
    metrics: allMetrics(configuration.custom),
    judges,
    embedder: configuration.embedder.provider === 'none' ? null : lexicalEmbedder(),
    locate: () => new Map(),
    version: '',
    turn,
    signal,
  });
  const { judgeCallsOf, ...usage } = report.run.usage;
  return { ...usage, embeddedTexts: embedder ? usage.embeddedTexts : 0 };
}

/** Removes rate limits and budgets: an estimate sends nothing, and must be complete. */
export function withoutLimits(configuration: Configuration): Configuration {
  const { maxCalls, maxTokens, requestsPerMinute, tokensPerMinute, ...judge } = configuration.judge;
  return { ...configuration, judge };
}
