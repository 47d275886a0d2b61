import type { Clock } from './clock.ts';
import { ModelError, RequestSkipped } from './model-error.ts';

/** Ends the calls of a run when no model answers. All models of a run share one. As a clock, it ends waits as well. */
export interface Patience extends Clock {
  /** Aborted, with a `RequestSkipped` as its reason, once it is exhausted: nothing is sent any more. */
  readonly signal: AbortSignal;
  /** @throws RequestSkipped once it is exhausted. */
  check(): void;
  /** Runs a call with all its attempts: only then does time count. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Sends one request of a call, and counts whether it is answered. @throws RequestSkipped once it is exhausted. */
  send<T>(request: () => Promise<T>): Promise<T>;
  /** Waits, but not longer than patience lasts. @throws RequestSkipped once it is exhausted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * Patience of `limitMs` without an answer. Time in which no call runs does not count, and only a failed request exhausts it: a
 * slow model is no broken one.
 *
 * @param onExhausted gets a sentence with the last error.
 */
export function createPatience(
  limitMs: number,
  clock: Clock,
  onExhausted: (sentence: string) => void = () => {},
): Patience {
  const exhausted = new AbortController();
  let pending = 0;
  let pendingSince = 0;
  /** Before `pendingSince`, and since the last answer. */
  let earlierMs = 0;
  /** Since the last answer. */
  let lastError: string | null = null;

  const silentMs = () => earlierMs + (pending > 0 ? clock.now() - pendingSince : 0);
  const leftMs = () => (lastError === null ? Number.POSITIVE_INFINITY : Math.max(0, limitMs - silentMs()));
  const check = () => {
    if (leftMs() === 0 && !exhausted.signal.aborted) {
      const reason = `No model answered for ${formatDuration(limitMs)} (judge.patienceMs), so no more questions were asked.`;
      exhausted.abort(new RequestSkipped({ status: 'error', reason }));
      onExhausted(`${reason} The last error: ${lastError}`);
    }
    exhausted.signal.throwIfAborted();
  };
  return {
    signal: exhausted.signal,
    check,
    now: clock.now,
    async run(call) {
      if (pending === 0) pendingSince = clock.now();
      pending += 1;
      try {
        return await call();
      } finally {
        pending -= 1;
        if (pending === 0) earlierMs += clock.now() - pendingSince;
      }
    },
    async send(request) {
      check();
      try {
        const answer = await request();
        earlierMs = 0;
        pendingSince = clock.now();
        lastError = null;
        return answer;
      } catch (cause) {
        if (cause instanceof ModelError) {
          lastError = cause.message;
          check();
        }
        throw cause;
      }
    },
    async wait(ms, signal) {
      const either = AbortSignal.any([signal, exhausted.signal]);
      for (let left = ms; left > 0; ) {
        const step = Math.min(left, Math.ceil(leftMs()));
        await clock.wait(step, either);
        check();
        left -= step;
      }
    },
  };
}

function formatDuration(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}
