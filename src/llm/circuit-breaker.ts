import type { Clock } from './clock.ts';
import { ModelError, RequestRejected, RequestSkipped } from './model-error.ts';

/** Calls in a row that fail, each after its retries, before the server counts as down. */
const FAILURE_THRESHOLD = 5;
/** How long it is then left alone before one call tries it, in milliseconds. */
const OPEN_MS = 30_000;

/** Stops asking a server that is plainly down, and tells everybody so in the same words. */
export interface CircuitBreaker {
  /**
   * Runs a call, unless the server counts as down.
   *
   * @param call gets a check that throws once others have found the server down; for use before each further attempt.
   * @throws NotSent when it is down, or what the call throws.
   */
  run<T>(call: (check: () => void) => Promise<T>): Promise<T>;
}

type BreakerState =
  | { readonly is: 'closed'; readonly failed: number }
  | { readonly is: 'open'; readonly until: number; readonly reason: string }
  | { readonly is: 'probing'; readonly reason: string };

const CLOSED: BreakerState = { is: 'closed', failed: 0 };

/** @param model what the sentence says did not answer. */
export function createCircuitBreaker(model: string, clock: Clock): CircuitBreaker {
  let state: BreakerState = CLOSED;

  const check = () => {
    if (state.is !== 'closed') throw new RequestSkipped({ status: 'error', reason: state.reason });
  };
  const open = (reason: string): BreakerState => ({ is: 'open', until: clock.now() + OPEN_MS, reason });

  const afterFailure = (cause: unknown): BreakerState => {
    const meaning = serverHealth(cause);
    // What began before the server was found down says nothing new.
    if (state.is !== 'closed' || meaning === 'nothing') return state;
    if (meaning === 'alive') return CLOSED;
    const reason = cause instanceof Error ? cause.message : '';
    if (meaning === 'hopeless') return open(`${reason} ${model} was not asked again.`);
    const failed = state.failed + 1;
    if (failed < FAILURE_THRESHOLD) return { is: 'closed', failed };
    return open(`${model} did not answer ${FAILURE_THRESHOLD} times in a row, so it was not asked again: ${reason}`);
  };
  const afterProbe = (cause: unknown, reason: string): BreakerState => {
    const meaning = serverHealth(cause);
    if (meaning === 'alive') return CLOSED;
    return meaning === 'nothing' ? { is: 'open', until: clock.now(), reason } : open(reason);
  };

  return {
    async run(call) {
      const resting = state.is === 'open' && clock.now() >= state.until ? state : null;
      if (resting) state = { is: 'probing', reason: resting.reason };
      else check();
      try {
        const value = await call(resting ? () => {} : check);
        state = CLOSED;
        return value;
      } catch (cause) {
        state = resting ? afterProbe(cause, resting.reason) : afterFailure(cause);
        throw cause;
      }
    },
  };
}

/** Answers that every further request would get as well: the key, the address or the account is wrong. */
const PERMANENT_STATUSES = new Set([401, 402, 404, 407, 429]);

/** What a failed call says of its server: nothing, that it is there, that it may be down, that asking on is no use. */
function serverHealth(cause: unknown): 'nothing' | 'alive' | 'down' | 'hopeless' {
  if (!(cause instanceof ModelError)) return 'nothing';
  switch (cause.kind) {
    case 'connection':
    case 'timeout':
    case 'server':
    case 'no_answer':
      return 'down';
    case 'redirect':
      return 'hopeless';
    case 'refused': {
      const status = cause instanceof RequestRejected ? cause.status : 0;
      return PERMANENT_STATUSES.has(status) ? 'hopeless' : status === 403 ? 'down' : 'alive';
    }
    case 'rate_limit':
    case 'parameter':
    case 'structured_output':
    case 'prompt_cut':
      return 'alive';
  }
}
