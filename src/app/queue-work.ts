import { createSemaphore } from '../core/async/semaphore.ts';
import { errorMessage } from '../core/error-message.ts';
import { SYSTEM_CLOCK } from '../llm/clock.ts';
import { QueueUnavailable } from '../queue/database.ts';
import { decodeSession, encodeOutcome } from '../queue/session-content.ts';
import { MAX_TRIES, type QueueProgress, type SessionLease, type SessionQueue } from '../queue/session-queue.ts';
import type { BoundRun } from './bound-run.ts';

/** Between two questions whether there is something to do. */
export const IDLE_MS = 500;

/** Between two calls of `onProgress`. */
const PROGRESS_MS = 1000;

export interface QueueWorkOptions {
  readonly signal: AbortSignal;
  /** Called now and then. */
  readonly onProgress?: ((progress: QueueProgress) => void) | undefined;
  /** Leaves the run when no model answers this process, so that others get its sessions. Otherwise they are evaluated all the same. */
  readonly leavesOnOutage: boolean;
}

/** Evaluates sessions of a run as long as there are some that nobody else has. @throws QueueUnavailable */
export async function workOnRun(
  queue: SessionQueue,
  id: string,
  run: BoundRun,
  options: QueueWorkOptions,
): Promise<void> {
  const { signal, leavesOnOutage, onProgress } = options;
  const running = new Set<Promise<void>>();
  // Held while a suspect runs, so that this worker has no other session then.
  const leasing = createSemaphore(1);
  let nextProgress = 0;
  /** @returns false where there is nothing to evaluate */
  const workOnce = async (): Promise<boolean> => {
    const done = await leasing(signal);
    let lease: SessionLease | null = null;
    try {
      lease = await queue.lease(id);
      if (lease?.isSuspect) {
        await Promise.all(running);
        await evaluateLease(queue, run, lease, options);
        return true;
      }
    } finally {
      done();
    }
    if (!lease) return false;
    const evaluating = evaluateLease(queue, run, lease, options);
    running.add(evaluating);
    await evaluating.finally(() => running.delete(evaluating));
    return true;
  };
  const work = async () => {
    while (!signal.aborted && !(leavesOnOutage && run.isExhausted)) {
      const hadWork = await workOnce();
      if (!hadWork && running.size === 0) return;
      // Another worker may end, or a session may fail and wait for its next try.
      if (!hadWork) await pause(IDLE_MS, signal);
      if (!onProgress || performance.now() < nextProgress) continue;
      nextProgress = performance.now() + PROGRESS_MS;
      onProgress(await queue.progress(id));
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: run.sessionsAtOnce }, work));
  const failure = ended.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected' && !signal.aborted) throw failure.reason;
}

async function evaluateLease(
  queue: SessionQueue,
  run: BoundRun,
  lease: SessionLease,
  { leavesOnOutage }: QueueWorkOptions,
): Promise<void> {
  try {
    const evaluated = await run.evaluate(decodeSession(lease.content));
    if (!evaluated) return await queue.release(lease);
    const unanswered = evaluated.outcome.missing.find(({ code }) => code === 'judge-unanswered');
    if (unanswered && leavesOnOutage && run.isExhausted) return await queue.release(lease);
    // What was answered is not asked again. The last try counts as it is: it is undecided, and says why.
    if (unanswered && lease.attempt < MAX_TRIES) return await queue.fail(lease, unanswered.reason);
    await queue.complete(lease, encodeOutcome(evaluated));
  } catch (error) {
    if (error instanceof QueueUnavailable) throw error;
    await queue.fail(lease, errorMessage(error));
  }
}

/** Ends early when it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await SYSTEM_CLOCK.wait(ms, signal).catch(() => undefined);
}

/**
 * Tells the queue that this process lives, until it is disposed.
 *
 * @param owned the run that the process waits for
 */
export async function startHeartbeat(
  queue: SessionQueue,
  name: string,
  owned: string | null = null,
): Promise<AsyncDisposable> {
  await queue.heartbeat(name, owned);
  let beating: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    // One at a time: a database that restarts gets them all at once otherwise. What fails is said by the next lease.
    beating ??= queue
      .heartbeat(name, owned)
      .catch(() => undefined)
      .finally(() => {
        beating = null;
      });
  }, queue.heartbeatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await beating;
      await queue.leave(owned).catch(() => undefined);
    },
  };
}
