import type { Clock } from './clock.ts';
import { ModelError, RequestRejected, RequestSkipped } from './model-error.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** Calls in a row that fail, each after its retries, before the server counts as down. */
const FAILURE_THRESHOLD = 5;
/** How long a server that is down gets no request before one call tries it again. */
const OPEN_MS = 30_000;

/** Stops calling a server that is down, and reports the same reason to all callers. */
export interface CircuitBreaker {
  /**
   * Runs a call, unless the server counts as down.
   *
   * @param call gets a check that throws once other calls have found the server down; to be used before each further attempt.
   * @throws RequestSkipped if it is down, or what the call throws.
   */
  run<T>(call: (check: () => void) => Promise<T>): Promise<T>;
}

type BreakerState =
  | { readonly is: 'closed'; readonly failed: number }
  | { readonly is: 'open'; readonly until: number; readonly reason: string }
  | { readonly is: 'probing'; readonly reason: string };

const CLOSED: BreakerState = { is: 'closed', failed: 0 };

/** @param model for the reason. */
export function createCircuitBreaker(model: string, clock: Clock): CircuitBreaker {
  let state: BreakerState = CLOSED;

  const check = () => {
    if (state.is !== 'closed') throw new RequestSkipped({ status: 'error', reason: state.reason });
  };
  const open = (reason: string, cause: unknown): BreakerState => {
    const retryAfterMs = cause instanceof ModelError ? (cause.retryAfterMs ?? 0) : 0;
    return { is: 'open', until: clock.now() + Math.max(OPEN_MS, retryAfterMs), reason };
  };

  const afterFailure = (cause: unknown): BreakerState => {
    const health = serverHealth(cause);
    // A call that started before the server was found down proves nothing new.
    if (state.is !== 'closed' || health === 'unknown') return state;
    if (health === 'up') return CLOSED;
    const reason = cause instanceof Error ? cause.message : '';
    if (health === 'rejecting') return open(`${reason} ${model} was not asked again.`, cause);
    const failed = state.failed + 1;
    if (failed < FAILURE_THRESHOLD) return { is: 'closed', failed };
    return open(
      `${model} did not answer ${FAILURE_THRESHOLD} times in a row, so it was not asked again: ${reason}`,
      cause,
    );
  };
  const afterProbe = (cause: unknown, reason: string): BreakerState => {
    const health = serverHealth(cause);
    if (health === 'up') return CLOSED;
    return health === 'unknown' ? { is: 'open', until: clock.now(), reason } : open(reason, cause);
  };

  return {
    async run(call) {
      const probe = state.is === 'open' && clock.now() >= state.until ? state : null;
      if (probe) state = { is: 'probing', reason: probe.reason };
      else check();
      try {
        const value = await call(probe ? () => {} : check);
        state = CLOSED;
        return value;
      } catch (cause) {
        state = probe ? afterProbe(cause, probe.reason) : afterFailure(cause);
        throw cause;
      }
    },
  };
}

/** Every further request would get these as well: the key, the address or the account is wrong. */
const PERMANENT_STATUSES = new Set([401, 402, 404, 407, 429]);

/** What a failed call says about its server. `rejecting`: further calls are useless. */
function serverHealth(cause: unknown): 'unknown' | 'up' | 'down' | 'rejecting' {
  if (!(cause instanceof ModelError)) return 'unknown';
  if (cause.retryAfterMs !== null && cause.retryAfterMs > MAX_RETRY_AFTER_MS) return 'rejecting';
  switch (cause.kind) {
    case 'connection':
    case 'timeout':
    case 'server':
    case 'no_answer':
      return 'down';
    case 'redirect':
    case 'unavailable':
      return 'rejecting';
    case 'refused': {
      const status = cause instanceof RequestRejected ? cause.status : 0;
      return PERMANENT_STATUSES.has(status) ? 'rejecting' : status === 403 ? 'down' : 'up';
    }
    case 'rate_limit':
    case 'parameter':
    case 'structured_output':
    case 'prompt_cut':
      return 'up';
  }
}
