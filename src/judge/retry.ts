import type { Clock } from './clock.ts';
import { type FaultKind, ModelFault } from './fault.ts';

/**
 * How often a request is sent at most. Servers are back in seconds, or not at all; an answer that is none may be a
 * hiccup; a request that was refused is refused again.
 */
const ATTEMPTS: Readonly<Record<FaultKind, number>> = {
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
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;
/** A server that asks for more patience than this gets none, since asking earlier than it wants is no use. */
const LONGEST_RETRY_AFTER = 60_000;

export interface Retrying {
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
export async function withRetries<T>(send: () => Promise<T>, { signal, clock, random }: Retrying): Promise<T> {
  for (let sent = 1; ; sent += 1) {
    try {
      return await send();
    } catch (cause) {
      if (!(cause instanceof ModelFault) || sent >= ATTEMPTS[cause.kind]) throw cause;
      await clock.wait(waitAfter(cause, sent, random), signal);
    }
  }
}

function waitAfter(fault: ModelFault, sent: number, random: () => number): number {
  const { retryAfterMs } = fault;
  const jitter = random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (sent - 1));
  if (retryAfterMs === null) return jitter;
  if (retryAfterMs > LONGEST_RETRY_AFTER) {
    const patience = `It asks to wait ${Math.ceil(retryAfterMs / 1000)} s, which is longer than a run waits.`;
    throw new ModelFault(fault.kind, `${fault.message} ${patience}`, { retryAfterMs, cause: fault });
  }
  // Those that were turned away together had better not come back together.
  return retryAfterMs + Math.min(jitter, FIRST_WAIT);
}
