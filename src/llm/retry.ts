import type { Clock } from './clock.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';

/** Servers are back in seconds, or not at all; an invalid response may be a hiccup; a refused request is refused again. */
const MAX_ATTEMPTS: Readonly<Record<ModelErrorKind, number>> = {
  timeout: 4,
  connection: 4,
  rate_limit: 4,
  server: 4,
  no_answer: 2,
  refused: 1,
  unavailable: 1,
  parameter: 1,
  structured_output: 1,
  redirect: 1,
  prompt_cut: 1,
};

/** The wait before the second attempt is up to this, and doubles with each further one. */
const BASE_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** If a server asks to wait longer, the request fails: retrying earlier is useless. */
export const MAX_RETRY_AFTER_MS = 60_000;

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Default: as many as may help. */
  readonly maxAttempts?: number | undefined;
}

/**
 * Retries a request while that may help: exponential back-off with full jitter, and not before the server's Retry-After.
 *
 * @throws the last error; immediately if the signal aborts.
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  { signal, clock, random, maxAttempts = Number.POSITIVE_INFINITY }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (cause) {
      if (!(cause instanceof ModelError) || attempt >= Math.min(maxAttempts, MAX_ATTEMPTS[cause.kind])) throw cause;
      await clock.wait(retryDelay(cause, attempt, random), signal);
    }
  }
}

function retryDelay(error: ModelError, attempt: number, random: () => number): number {
  const { retryAfterMs } = error;
  const jitter = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  if (retryAfterMs === null) return jitter;
  if (retryAfterMs > MAX_RETRY_AFTER_MS) {
    const wait = `It asks to wait ${Math.ceil(retryAfterMs / 1000)} s, which is longer than a run waits.`;
    throw new ModelError(error.kind, `${error.message} ${wait}`, { retryAfterMs, cause: error });
  }
  // Requests that were rejected together should not all come back at the same moment.
  return retryAfterMs + Math.min(jitter, BASE_DELAY_MS);
}
