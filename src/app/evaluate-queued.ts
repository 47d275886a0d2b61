import type { Configuration, ConfigurationInput } from '../config/schema.ts';
import { canonicalJson } from '../core/json.ts';
import { hashOf } from '../core/session-hashes.ts';
import { withTurnLines } from '../engine/locations.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import { QueueUnavailable } from '../queue/database.ts';
import type { QueuedRun } from '../queue/definition.ts';
import { encodeSession, rangesOf, visitPointers } from '../queue/session-content.ts';
import type { QueuedRow, QueueProgress, SessionQueue } from '../queue/session-queue.ts';
import { shortRunId } from '../runs/run-label.ts';
import { bindRun } from './bound-run.ts';
import { configurationHash } from './configuration-hash.ts';
import {
  type EvaluateStreamOptions,
  type evaluateFileStream,
  locationLookup,
  untilAborted,
  validateConfiguration,
} from './evaluate-files.ts';
import { type RunStream, streamRun } from './load-run.ts';
import { portableConfiguration } from './portable-configuration.ts';
import { reportQueuedRun } from './queue-report.ts';
import { IDLE_MS, pause, startHeartbeat, workOnRun } from './queue-work.ts';
import type { RunRecording } from './record-run.ts';

export interface EvaluateQueuedOptions extends EvaluateStreamOptions {
  readonly queue: SessionQueue;
  readonly storage: OutcomeStorage;
  /** What this process is called in `turnwise status`. */
  readonly workerName: string;
  /** Whether this process evaluates sessions too. */
  readonly works: boolean;
  readonly onProgress: (progress: QueueProgress) => void;
  /** Called once the run is in the queue. @param isNew false: the same command had queued it before. */
  readonly onQueued: (run: {
    readonly id: string;
    readonly isNew: boolean;
    readonly needsConfiguration: boolean;
  }) => void;
  readonly origin: QueuedRun['origin'];
}

/** What `evaluateFileStream` returns. */
export type QueuedFiles = Awaited<ReturnType<typeof evaluateFileStream>>;

/**
 * Evaluates trace files together with the workers of a queue: queues their sessions, evaluates some of them, waits for the others,
 * and makes the report. The same command continues a run that was killed.
 *
 * @returns null when it was aborted: the run stays in the queue, and workers go on with it. @throws QueueUnavailable
 */
export async function evaluateQueued(
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: EvaluateQueuedOptions,
): Promise<QueuedFiles | null> {
  const { queue, origin, works, onProgress, onQueued, workerName, storage, record, env = process.env } = options;
  const { signal = new AbortController().signal } = options;
  const stream = await streamRun(paths, validateConfiguration(configuration, options), {
    ...options,
    rereads: true,
    signal,
  });
  using bound = await bindRun(stream.configuration, queue, { ...options, signal });
  const portable = portableConfiguration(stream.configuration);
  const wanted: QueuedRun = {
    plan: bound.plan,
    configuration: portable,
    configurationHash: configurationHash(stream.configuration),
    origin,
  };
  const plan = await claimRun(queue, wanted, signal);
  if (!plan) return null;
  await using _ = await startHeartbeat(queue, workerName, plan.id);
  onQueued({ id: plan.id, isNew: plan.id === bound.plan.id, needsConfiguration: portable === null });
  await queueSessions(queue, plan.id, stream, { ...options, signal });
  while (!signal.aborted) {
    const progress = await queue.progress(plan.id);
    onProgress(progress);
    if (progress.waiting + progress.leased === 0) break;
    if (works) await workOnRun(queue, plan.id, bound, { signal, leavesOnOutage: false, onProgress });
    await pause(IDLE_MS, signal);
  }
  if (signal.aborted) return null;
  const { problems, files, sources } = stream.summary();
  if (record) await deleteRecord(record, plan.id);
  const { report, outcome } = await reportQueuedRun(queue, plan, bound, {
    storage,
    locate: locationLookup(stream.locator),
    problems,
    record,
    parts: { configuration: stream.configuration, env, signal },
  });
  await queue.collect(plan.id, outcome);
  return { report, locator: stream.locator, files, sources };
}

/** The same command gives the same: a run that was killed is continued. */
function identityOf({ plan, configurationHash: hash, origin: { git: _, cwd: _cwd, ...origin } }: QueuedRun): string {
  const { id: _id, startedAt: _at, boundaryKey: _key, ...planned } = plan;
  return hashOf(canonicalJson([planned, hash, origin]));
}

/**
 * The run that the same command queued before, or this one. Waits for the time that a command which was killed had left.
 *
 * @returns null when it was aborted. @throws QueueUnavailable where another command lives
 */
async function claimRun(
  queue: SessionQueue,
  wanted: QueuedRun,
  signal: AbortSignal,
): Promise<QueuedRun['plan'] | null> {
  for (let waited = 0; !signal.aborted; waited += IDLE_MS) {
    // Each time: the other command may have ended, with a run that is over.
    const { plan } = await queue.openRun(identityOf(wanted), wanted);
    if (await queue.claimRun(plan.id)) return plan;
    if (waited > 2 * queue.leaseMs) {
      throw new QueueUnavailable(
        `Another command evaluates the same run now. Wait for it, or stop it. To see it: turnwise status ${shortRunId(plan.id)}`,
      );
    }
    await pause(IDLE_MS, signal);
  }
  return null;
}

/** Of one statement. */
const BATCH = { sessions: 100, characters: 4_000_000 };

async function queueSessions(
  queue: SessionQueue,
  run: string,
  { sessions, locator, summary }: RunStream,
  { signal, onSession }: Pick<EvaluateQueuedOptions, 'onSession'> & { readonly signal: AbortSignal },
): Promise<void> {
  const round = await queue.beginRound(run);
  let batch: QueuedRow[] = [];
  let characters = 0;
  let position = 0;
  const flush = async () => {
    await queue.add(run, round, batch);
    batch = [];
    characters = 0;
  };
  const read = untilAborted(sessions, signal, onSession);
  for await (const { session, lines } of withTurnLines(read, locationLookup(locator), signal, visitPointers)) {
    const content = encodeSession({ session, ranges: rangesOf(session, lines) });
    batch.push({ id: session.id, position, hash: hashOf(content), content });
    position += 1;
    characters += content.length;
    if (batch.length >= BATCH.sessions || characters >= BATCH.characters) await flush();
  }
  if (batch.length > 0) await flush();
  // Otherwise some are missing, and the next command adds them.
  if (!signal.aborted) await queue.endRound(run, round, summary().problems);
}

/** A command that was killed while it made its report has begun a record with this id. */
async function deleteRecord({ store, project }: RunRecording, id: string): Promise<void> {
  if (store.list({ project }).some(({ manifest }) => manifest.id === id)) await store.delete([id]);
}
