const INTERVAL_MS = 200;

/** The pause after a run is at least this many times as long as the run took. */
const REST_FACTOR = 10;

/**
 * Repeats work on demand, at most every 200 ms and for at most about a tenth of the time, so that there is time for
 * everything else.
 */
export class Throttle implements Disposable {
  readonly #work: () => void;
  #next = performance.now() + INTERVAL_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** Runs the work once for all calls until its time has come. */
  schedule(): void {
    if (this.#isDisposed) return;
    // An exception becomes an unhandled rejection: it is not the caller's.
    this.#timer ??= setTimeout(async () => this.runNow(), Math.max(0, this.#next - performance.now()));
  }

  /** Runs the work at once, whether it is scheduled or not. */
  runNow(): void {
    if (this.#isDisposed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const startedAt = performance.now();
    this.#work();
    const endedAt = performance.now();
    this.#next = endedAt + Math.max(INTERVAL_MS, (endedAt - startedAt) * REST_FACTOR);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }
}
