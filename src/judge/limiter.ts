import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/** What all models of a run have to keep to together: requests that are under way at once, requests and tokens a minute. */
export interface Limiter {
  /** Waits for a place; first come, first served. Gives what leaves it. @throws the signal's reason. */
  enter(signal: AbortSignal): Promise<Leave>;
  /**
   * Waits until one more request of so many tokens is within what a minute may bring, and counts it. Gives what corrects
   * the tokens once they are known. @throws the signal's reason.
   */
  spend(tokens: number, signal: AbortSignal): Promise<(tokens: number) => void>;
  /** Whether tokens matter: an estimate costs time. */
  readonly countsTokens: boolean;
}

/** To be called once. */
export type Leave = () => void;

export interface Limits {
  readonly concurrency: number;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
}

export function createLimiter(limits: Limits, clock: Clock = SYSTEM_CLOCK): Limiter {
  return {
    enter: places(limits.concurrency),
    spend: rationed(limits, clock),
    countsTokens: limits.tokensPerMinute !== undefined,
  };
}

/** So many places, given in the order in which they are asked for. */
export function places(count: number): (signal: AbortSignal) => Promise<Leave> {
  let free = count;
  const queue = new Set<() => void>();
  const leave = () => {
    const [next] = queue;
    if (!next) {
      free += 1;
      return;
    }
    // The place goes on from hand to hand, so that nobody can overtake.
    queue.delete(next);
    next();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await waitIn(queue, signal);
    return leave;
  };
}

function waitIn(queue: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const stop = () => {
      queue.delete(go);
      reject(signal.reason);
    };
    queue.add(go);
    signal.addEventListener('abort', stop, { once: true });
  });
}

const MINUTE = 60_000;

interface Spent {
  readonly at: number;
  tokens: number;
}

/**
 * Holds in every minute, wherever it begins: a bucket that fills steadily would let through twice as much in the minute
 * after a rest. A request of more tokens than a minute may have goes alone.
 */
function rationed(
  { requestsPerMinute = Number.POSITIVE_INFINITY, tokensPerMinute = Number.POSITIVE_INFINITY }: Limits,
  clock: Clock,
): Limiter['spend'] {
  if (requestsPerMinute === Number.POSITIVE_INFINITY && tokensPerMinute === Number.POSITIVE_INFINITY) {
    return async (_, signal) => {
      signal.throwIfAborted();
      return () => {};
    };
  }
  const turn = places(1);
  /** Of the last minute, in order. */
  const spent: Spent[] = [];

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
