/** Yields when a slice of computing is used up; undefined where there is nothing to wait for. */
type YieldIfDue = () => Promise<void> | undefined;

/** Lets timers, input and cancellation through every few milliseconds of computing. */
export function createYielder(sliceMs = 25): YieldIfDue {
  let last = performance.now();
  return () => {
    if (performance.now() - last < sliceMs) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        last = performance.now();
        resolve();
      }, 0);
    });
  };
}
