/** Before this, a rate says nothing. */
const MIN_DONE = 3;
const MIN_ELAPSED_MS = 2000;

/**
 * The rest of a task, in seconds, at the rate so far: in steps that do not change with every message. Null until the rate
 * means something, and when nothing is left.
 */
export function secondsLeft({
  done,
  of,
  elapsedMs,
}: {
  readonly done: number;
  readonly of: number;
  readonly elapsedMs: number;
}): number | null {
  if (done < MIN_DONE || elapsedMs < MIN_ELAPSED_MS || done >= of) return null;
  const seconds = (elapsedMs / done / 1000) * (of - done);
  const step = seconds < 30 ? 5 : seconds < 120 ? 10 : 60;
  return Math.max(step, Math.round(seconds / step) * step);
}
