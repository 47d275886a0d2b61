/** Limits the time of a function; the time that it waits for the judge does not count. */
export interface CallTimer {
  /** Starts, or starts again with the full time. */
  start(limitMs: number): void;
  /** Runs something that the limit does not apply to. */
  pause<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

export function createCallTimer(onTimeout: () => void): CallTimer {
  let timer: NodeJS.Timeout | undefined;
  let limit = 0;
  let paused = 0;
  let isStopped = false;
  const restart = () => {
    clearTimeout(timer);
    if (!isStopped && paused === 0) timer = setTimeout(onTimeout, limit);
  };
  return {
    start(limitMs) {
      limit = limitMs;
      restart();
    },
    async pause(work) {
      paused += 1;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        paused -= 1;
        restart();
      }
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
