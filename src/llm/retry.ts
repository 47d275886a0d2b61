import type { Clock } from './clock.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';

/**
 * How often a request is sent at most. Servers are back in seconds, or not at all; an answer that is none may be a
 * hiccup; a request that was refused is refused again.
 */
const MAX_ATTEMPTS: Readonly<Record<ModelErrorKind, number>> = {
  timeout: 4,
  connection: 4,
  rate_limit: 4,
  server: 4,
  no_answer: 2,
  refused: 1,
  parameter: 1,
  structured_output: 1,
  redirect: 1,
  prompt_cut: 1,
};

/** The wait before the second attempt is up to this, and up to twice as much each time: milliseconds. */
const BASE_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** A server that asks for more patience than this gets none, since asking earlier than it wants is no use. */
const MAX_RETRY_AFTER_MS = 60_000;

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Sends a request again while that may help: exponential back-off with full jitter, and not before the server's own
 * Retry-After.
 *
 * @throws the last fault; at once when the signal aborts.
 */
export async function withRetries<T>(send: () => Promise<T>, { signal, clock, random }: RetryOptions): Promise<T> {
  for (let sent = 1; ; sent += 1) {
    try {
      return await send();
    } catch (cause) {
      if (!(cause instanceof ModelError) || sent >= MAX_ATTEMPTS[cause.kind]) throw cause;
      await clock.wait(retryDelay(cause, sent, random), signal);
    }
  }
}

function retryDelay(fault: ModelError, sent: number, random: () => number): number {
  const { retryAfterMs } = fault;
  const jitter = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (sent - 1));
  if (retryAfterMs === null) return jitter;
  if (retryAfterMs > MAX_RETRY_AFTER_MS) {
    const patience = `It asks to wait ${Math.ceil(retryAfterMs / 1000)} s, which is longer than a run waits.`;
    throw new ModelError(fault.kind, `${fault.message} ${patience}`, { retryAfterMs, cause: fault });
  }
  // Those that were turned away together had better not come back together.
  return retryAfterMs + Math.min(jitter, BASE_DELAY_MS);
}
