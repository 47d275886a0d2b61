import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { createProblem, MODEL_OUTAGE } from '../core/problem.ts';
import type { RunPlan } from '../core/run-plan.ts';
import { QueueUnavailable } from '../queue/database.ts';
import type { QueuedRun } from '../queue/definition.ts';
import type { SessionQueue } from '../queue/session-queue.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { Environment } from '../store/home.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { recordAsBytes } from '../store/runs/record-bytes.ts';
import { VERSION } from '../version.ts';
import { type BoundRun, bindRun } from './bound-run.ts';
import { configurationHash } from './configuration-hash.ts';
import { readPortable } from './portable-configuration.ts';
import { reportQueuedRun } from './queue-report.ts';
import { IDLE_MS, pause, startHeartbeat, workOnRun } from './queue-work.ts';
import { describeChanges } from './resume-check.ts';
import type { ModelOptions } from './run-models.ts';

export interface QueueWorkerOptions extends Pick<ModelOptions, 'onCall'> {
  readonly signal: AbortSignal;
  /** What this worker is called in `turnwise status`. */
  readonly name: string;
  /** The configuration of this machine, for runs whose own is more than data; null: it has none. */
  readonly configuration: Configuration | null;
  /** Ends when no run needs a worker; otherwise it waits for the next one. */
  readonly exitsWhenDone: boolean;
  /** The environment with the keys that may be sent. @throws Error with a sentence where traces may not be sent */
  readonly allow: (configuration: Configuration) => Promise<Environment>;
  /** Called with a sentence. */
  readonly log: (sentence: string) => void;
}

/**
 * Evaluates the sessions of all runs of a queue, and makes the reports of runs that nobody waits for.
 *
 * @returns the ids of runs that it refused. @throws QueueUnavailable
 */
export async function runQueueWorker(queue: SessionQueue, options: QueueWorkerOptions): Promise<readonly string[]> {
  const { signal, name, exitsWhenDone, log } = options;
  await using _ = await startHeartbeat(queue, name);
  const refused: string[] = [];
  /** When the runs were left whose judge does not answer this worker. */
  const left = new Map<string, number>();
  while (!signal.aborted) {
    const run = (await queue.nextRun([...refused, ...left.keys()])) ?? (await nextAbandoned(queue, refused, left));
    if (!run) {
      if (exitsWhenDone && !(await queue.hasOpenRuns(refused))) break;
      await pause(IDLE_MS, signal);
      continue;
    }
    const { id } = run.plan;
    try {
      const unanswered = await evaluateRunOf(queue, run, { ...options, leavesOnOutage: !left.has(id) });
      if (unanswered === null) continue;
      left.set(id, performance.now());
      log(`Run ${shortRunId(id)} is left to other workers. ${unanswered}`);
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof QueueUnavailable) throw error;
      refused.push(id);
      log(`Run ${shortRunId(id)} is left to other workers. ${errorMessage(error)}`);
    }
  }
  return refused;
}

/** A run that was left for a while, and that no other worker evaluates. */
async function nextAbandoned(
  queue: SessionQueue,
  refused: readonly string[],
  left: ReadonlyMap<string, number>,
): Promise<QueuedRun | null> {
  const recent = [...left].flatMap(([id, since]) => (performance.now() - since < queue.leaseMs ? id : []));
  if (recent.length === left.size) return null;
  const run = await queue.nextRun([...refused, ...recent]);
  return run && (await queue.progress(run.plan.id)).workers === 0 ? run : null;
}

/**
 * Evaluates what there is of a run, and makes its report.
 *
 * @returns null, or why it was left: its judge does not answer. @throws Error with a sentence where this worker would compute
 *   something else
 */
async function evaluateRunOf(
  queue: SessionQueue,
  run: QueuedRun,
  options: QueueWorkerOptions & { readonly leavesOnOutage: boolean },
): Promise<string | null> {
  const { signal, onCall, allow, log, leavesOnOutage } = options;
  const { id, agentVersion, namedMetrics, turn, k, estimator, correctBy } = run.plan;
  const configuration = configurationOf(run, options.configuration);
  const env = await allow(configuration);
  using bound = await bindRun(configuration, queue, {
    agentVersion: agentVersion ?? undefined,
    namedMetrics,
    turn: turn ?? undefined,
    k: k ?? undefined,
    estimator: estimator ?? undefined,
    correctBy: correctBy ?? undefined,
    env,
    signal,
    onCall,
  });
  checkPlan(run, bound.plan);
  log(`Evaluating run ${shortRunId(id)}.`);
  await workOnRun(queue, id, bound, { signal, leavesOnOutage });
  if (signal.aborted) return null;
  if (leavesOnOutage && bound.isExhausted) {
    const outages = bound.problems.filter(({ code }) => code === MODEL_OUTAGE);
    return outages.map(({ message }) => message).join(' ');
  }
  if (!(await queue.claimReport(id))) return null;
  await storeReport(queue, run, bound, { configuration, env, signal });
  log(`Made the report of run ${shortRunId(id)}. To get it: turnwise status ${shortRunId(id)} --record FILE`);
  return null;
}

/** @throws Error with a sentence */
function configurationOf({ plan, configuration: data, configurationHash: hash }: QueuedRun, own: Configuration | null) {
  if (plan.version !== VERSION) {
    throw new Error(`It was queued by Turnwise ${plan.version}, and this is ${VERSION}. Install the same version.`);
  }
  if (data === null) {
    if (own === null) {
      throw new Error(
        'Its configuration is more than data: it has functions, files of its own or headers. Start the worker with the same file: --config FILE.',
      );
    }
    if (configurationHash(own) !== hash) {
      throw new Error(
        'The configuration of this worker is another one. Start the worker with the same file: --config FILE.',
      );
    }
    return own;
  }
  const configuration = readPortable(data, hash);
  if (!configuration)
    throw new Error('This version of Turnwise reads its configuration otherwise. Install the same version.');
  return configuration;
}

/** @throws Error with a sentence where the plans differ: then results would, too */
function checkPlan({ plan: queued, configurationHash: configuration }: QueuedRun, own: RunPlan): void {
  const basis = (plan: QueuedRun['plan'] | RunPlan) => {
    const { boundaryKey: _, ...recorded } = plan;
    return {
      id: plan.id,
      tool: { name: 'turnwise' as const, version: plan.version },
      inputs: [],
      plan: recorded,
      questions: {},
      configuration,
      sampling: null,
    };
  };
  const changes = describeChanges(basis(queued), basis(own));
  if (changes.length > 0) throw new Error(`This worker would evaluate it otherwise: ${changes.join('; ')}.`);
}

const NOT_GATED = createProblem(
  'error',
  'not-gated',
  '',
  'The command that queued this run was gone, so that neither its baseline nor its alerts count here. The same command makes the whole report.',
);

async function storeReport(
  queue: SessionQueue,
  { plan, origin: { git, name, selection, hasOwnGates = false, ...origin } }: QueuedRun,
  bound: BoundRun,
  parts: { readonly configuration: Configuration; readonly env: Environment; readonly signal: AbortSignal },
): Promise<void> {
  const { result, bytes } = await recordAsBytes(async (store, elsewhere) => {
    using storage = new OutcomeFile();
    const record = { ...origin, store, elsewhere, git: Promise.resolve(git), name, selection };
    const problems = [...(await queue.problems(plan.id)), ...(hasOwnGates ? [NOT_GATED] : [])];
    const made = await reportQueuedRun(queue, plan, bound, { storage, locate: null, problems, record, parts });
    return made.outcome;
  });
  await queue.storeReport(plan.id, result, bytes);
}
