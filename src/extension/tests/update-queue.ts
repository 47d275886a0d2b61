/** At most 20 updates a second. */
const INTERVAL_MS = 50;
/** The time that the changes of one update may take: the rest waits for the next, so that the editor stays responsive. */
const SLICE_MS = 20;

/** Collects changes of test items and applies them together. A change replaces an earlier one with the same key. */
export class UpdateQueue implements Disposable {
  readonly #changes = new Map<string, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #idle: PromiseWithResolvers<void> | undefined;

  add(key: string, change: () => void): void {
    // Moves to the end, after what was added in between.
    this.#changes.delete(key);
    this.#changes.set(key, change);
    this.#schedule();
  }

  /** Resolves when everything was applied that was added so far, or the queue is disposed. */
  settled(): Promise<void> {
    if (this.#changes.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  #schedule(): void {
    const wait = Math.max(0, this.#last + INTERVAL_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#apply(), wait);
  }

  #apply(): void {
    this.#timer = undefined;
    this.#last = performance.now();
    try {
      for (const [key, change] of this.#changes) {
        this.#changes.delete(key);
        change();
        if (performance.now() - this.#last > SLICE_MS) break;
      }
    } finally {
      if (this.#changes.size > 0) this.#schedule();
      else this.#settle();
    }
  }

  #settle(): void {
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#changes.clear();
    this.#settle();
  }
}
