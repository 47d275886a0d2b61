const SLICE_MS = 25;

/** Lets timers, input and cancellation through every few milliseconds of computing. */
export function createYielder(): () => Promise<void> | undefined {
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
