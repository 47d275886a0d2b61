/** Gives a permit back; to be called once. */
export type Release = () => void;

export type Semaphore = (signal: AbortSignal) => Promise<Release>;

/**
 * A semaphore of `count` permits, granted first come, first served. Acquiring rejects with the signal's reason when it is
 * aborted.
 */
export function createSemaphore(count: number): Semaphore {
  let available = count;
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (!next) {
      available += 1;
      return;
    }
    // The permit goes straight to the next in line, so that a newcomer cannot overtake.
    waiting.delete(next);
    next();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (available > 0) available -= 1;
    else await waitIn(waiting, signal);
    return release;
  };
}

function waitIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const grant = () => {
      signal.removeEventListener('abort', cancel);
      resolve();
    };
    const cancel = () => {
      waiting.delete(grant);
      reject(signal.reason);
    };
    waiting.add(grant);
    signal.addEventListener('abort', cancel, { once: true });
  });
}
