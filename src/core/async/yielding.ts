const SLICE_MS = 25;

/** Yields when a slice of computing is used up; undefined where there is nothing to wait for. */
type YieldIfDue = () => Promise<void> | undefined;

/** Lets timers, input and cancellation through every few milliseconds of computing. */
export function createYielder(): YieldIfDue {
  let last = performance.now();
  return () => {
    if (performance.now() - last < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        last = performance.now();
        resolve();
      }, 0);
    });
  };
}
