import { createSemaphore, type Release } from '../core/async/semaphore.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/** What all models of a run have to keep to together: requests that are under way at once, requests and tokens a minute. */
export interface RateLimiter {
  /** Waits for a place; first come, first served. Gives what leaves it. @throws the signal's reason. */
  acquire(signal: AbortSignal): Promise<Release>;
  /**
   * Waits until one more request of so many tokens is within what a minute may bring, and counts it. Gives what corrects
   * the tokens once they are known. @throws the signal's reason.
   */
  reserve(tokens: number, signal: AbortSignal): Promise<(tokens: number) => void>;
  /** Whether tokens matter: an estimate costs time. */
  readonly countsTokens: boolean;
}

export interface RateLimits {
  readonly concurrency: number;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
}

export function createRateLimiter(limits: RateLimits, clock: Clock = SYSTEM_CLOCK): RateLimiter {
  return {
    acquire: createSemaphore(limits.concurrency),
    reserve: slidingWindow(limits, clock),
    countsTokens: limits.tokensPerMinute !== undefined,
  };
}

const MINUTE = 60_000;

interface RequestUse {
  readonly at: number;
  tokens: number;
}

/**
 * Holds in every minute, wherever it begins: a bucket that fills steadily would let through twice as much in the minute
 * after a rest. A request of more tokens than a minute may have goes alone.
 */
function slidingWindow(
  { requestsPerMinute = Number.POSITIVE_INFINITY, tokensPerMinute = Number.POSITIVE_INFINITY }: RateLimits,
  clock: Clock,
): RateLimiter['reserve'] {
  if (requestsPerMinute === Number.POSITIVE_INFINITY && tokensPerMinute === Number.POSITIVE_INFINITY) {
    return async (_, signal) => {
      signal.throwIfAborted();
      return () => {};
    };
  }
  const turn = createSemaphore(1);
  /** Of the last minute, in order. */
  const spent: RequestUse[] = [];

  const waitFor = (tokens: number): number => {
    const now = clock.now();
    while (spent[0] && spent[0].at + MINUTE <= now) spent.shift();
    let requests = spent.length;
    let sum = spent.reduce((total, one) => total + one.tokens, 0);
    let wait = 0;
    for (const one of spent) {
      if (requests + 1 <= requestsPerMinute && sum + tokens <= tokensPerMinute) break;
      wait = one.at + MINUTE - now;
      requests -= 1;
      sum -= one.tokens;
    }
    return wait;
  };
  return async (tokens, signal) => {
    const leave = await turn(signal);
    try {
      for (let wait = waitFor(tokens); wait > 0; wait = waitFor(tokens)) await clock.wait(Math.ceil(wait), signal);
      const one = { at: clock.now(), tokens };
      spent.push(one);
      return (actual) => {
        one.tokens = actual;
      };
    } finally {
      leave();
    }
  };
}
