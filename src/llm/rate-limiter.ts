import { createSemaphore, type Release } from '../core/async/semaphore.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/** Limits that all models of a run share: requests in progress, requests per minute and tokens per minute. */
export interface RateLimiter {
  /** Waits for a slot; first come, first served. @throws the signal's reason. */
  acquire(signal: AbortSignal): Promise<Release>;
  /**
   * Waits until one more request of so many tokens is within the limits of a minute, and counts it. @returns a function that
   * corrects the tokens once they are known. @throws the signal's reason.
   */
  reserve(tokens: number, signal: AbortSignal): Promise<(tokens: number) => void>;
  /** Whether tokens matter: estimating them costs time. */
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

const MINUTE_MS = 60_000;

interface CountedRequest {
  readonly at: number;
  tokens: number;
}

/**
 * The limits apply to every minute, whenever it begins: a bucket that refills steadily would allow twice as much in the minute
 * after a pause. A request of more tokens than a minute allows is sent alone.
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
  const mutex = createSemaphore(1);
  /** Of the last minute, in order. */
  const recent: CountedRequest[] = [];

  const delayFor = (tokens: number): number => {
    const now = clock.now();
    while (recent[0] && recent[0].at + MINUTE_MS <= now) recent.shift();
    let requests = recent.length;
    let sum = recent.reduce((total, request) => total + request.tokens, 0);
    let delay = 0;
    for (const request of recent) {
      if (requests + 1 <= requestsPerMinute && sum + tokens <= tokensPerMinute) break;
      delay = request.at + MINUTE_MS - now;
      requests -= 1;
      sum -= request.tokens;
    }
    return delay;
  };
  return async (tokens, signal) => {
    const release = await mutex(signal);
    try {
      for (let delay = delayFor(tokens); delay > 0; delay = delayFor(tokens)) {
        await clock.wait(Math.ceil(delay), signal);
      }
      const request = { at: clock.now(), tokens };
      recent.push(request);
      return (actual) => {
        request.tokens = actual;
      };
    } finally {
      release();
    }
  };
}
