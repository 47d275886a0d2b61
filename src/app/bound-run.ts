import type { Configuration } from '../config/schema.ts';
import { createYielder } from '../core/async/yielding.ts';
import { MODEL_OUTAGE, type Problem } from '../core/problem.ts';
import type { RunPlan } from '../core/run-plan.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { JudgeUsage } from '../core/session-outcome.ts';
import { createSessionEvaluator, usesRemoteModels } from '../engine/evaluate-session.ts';
import { sumUsage } from '../engine/judge-usage.ts';
import { type Judges, usageBeside } from '../engine/judges.ts';
import { createRunPlan, type RunPlanOptions } from '../engine/plan.ts';
import type { Clock } from '../llm/clock.ts';
import type { RateLimits } from '../llm/rate-limiter.ts';
import type { Metric } from '../metrics/metric.ts';
import type { QueuedOutcome, QueuedSession } from '../queue/session-content.ts';
import type { SessionQueue } from '../queue/session-queue.ts';
import { sharedAnswers } from '../queue/shared-answers.ts';
import { sharedLimiter } from '../queue/shared-limiter.ts';
import { RULES } from '../rules/index.ts';
import { ModuleFunctionRunner } from '../sandbox/module-function-runner.ts';
import { VERSION } from '../version.ts';
import { functionRunner } from './evaluate-files.ts';
import { matchCalibrations } from './judge-calibrations.ts';
import { metricsWith } from './plug-ins.ts';
import { requiredModels } from './required-models.ts';
import { type ModelOptions, openRunModels } from './run-models.ts';

export interface BoundRunOptions
  extends Pick<ModelOptions, 'env' | 'onCall'>,
    Pick<RunPlanOptions, 'runId' | 'agentVersion' | 'namedMetrics' | 'turn' | 'k' | 'estimator' | 'correctBy'> {
  readonly signal: AbortSignal;
}

/** A run of the queue, bound to the functions and models of this process. */
export interface BoundRun extends Disposable {
  readonly plan: RunPlan;
  readonly judges: Judges;
  /** All available metrics, including the configuration's own. */
  readonly metrics: readonly Metric[];
  /** How many sessions are worth evaluating at once. */
  readonly sessionsAtOnce: number;
  /** Whether no model answers this process any more. */
  readonly isExhausted: boolean;
  readonly problems: readonly Problem[];
  /** Null when it was aborted before it had all results. */
  evaluate(queued: QueuedSession): Promise<QueuedOutcome | null>;
  /** What the models cost beside the sessions that this process evaluated. */
  usageBeside(): readonly JudgeUsage[];
}

/** Enough to keep a model busy if sessions are short. */
const MAX_CONCURRENT_SESSIONS = 8;

/** Opens the models of a run; their limits and answers are those of the queue. @throws Error with a sentence per line */
export async function bindRun(
  configuration: Configuration,
  queue: SessionQueue,
  { signal, env = process.env, onCall, ...planned }: BoundRunOptions,
): Promise<BoundRun> {
  const { boundaryKey } = queue.database;
  const judge = judgeKey(configuration);
  const createLimiter = (limits: RateLimits, clock: Clock) => sharedLimiter(queue, judge, limits, clock);
  const shared = { answerCache: sharedAnswers(queue.database), boundaryKey, createLimiter };
  const models = await openRunModels(configuration, { env, onCall, signal, shared });
  const { judges, embedder } = models;
  const moduleFunctions = new ModuleFunctionRunner();
  const metrics = metricsWith(configuration, {}, functionRunner(moduleFunctions));
  const { problems, ...calibrated } = await matchCalibrations(configuration, judges, metrics, { env, signal });
  const plan = createRunPlan({
    ...planned,
    ...calibrated,
    configuration,
    metrics,
    judges,
    embedder,
    boundaryKey: models.boundaryKey,
    version: VERSION,
  });
  const bindings = { metrics, rules: RULES, judges, embedder };
  const evaluateSession = createSessionEvaluator(plan, { ...bindings, signal, yieldIfDue: createYielder() });
  let ownUsage: readonly JudgeUsage[] = [];
  return {
    plan,
    judges,
    metrics,
    sessionsAtOnce: usesRemoteModels(bindings) ? Math.min(MAX_CONCURRENT_SESSIONS, plan.concurrency) : 1,
    get isExhausted() {
      return models.problems.some(({ code }) => code === MODEL_OUTAGE);
    },
    get problems() {
      return [...problems, ...models.problems];
    },
    async evaluate({ session, ranges }) {
      const outcome = await evaluateSession(session, ranges);
      if (!outcome) return null;
      ownUsage = sumUsage([...ownUsage, ...outcome.judgeUsage].map((usage) => ({ ...usage, usage })));
      if (signal.aborted) return null;
      return { outcome: { ...outcome, hashes: sessionHashes(session) }, versions: versionsOf(judges) };
    },
    usageBeside: () => usageBeside(judges, [{ judgeUsage: ownUsage }]),
    [Symbol.dispose]() {
      moduleFunctions[Symbol.dispose]();
      models[Symbol.dispose]();
    },
  };
}

/** What shares its limits: those of a run are one for all its models, and count for its judge. */
function judgeKey(configuration: Configuration): string {
  const { judge, byMetric, embedder } = requiredModels(configuration);
  const model = judge ?? [...byMetric.values()][0] ?? embedder;
  return model ? JSON.stringify([model.provider, model.baseUrl, model.model]) : '';
}

function versionsOf({ defaultJudge, byMetric }: Judges): QueuedOutcome['versions'] {
  const all = [defaultJudge, ...byMetric.values()].flatMap((judge) => judge ?? []);
  return Object.fromEntries(all.map(({ provider, model, versions }) => [`${provider}/${model}`, [...versions]]));
}
