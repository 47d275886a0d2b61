/** How long is waited before the first, second and third restart. */
const WAITS_MS = [500, 2_000, 8_000];

/** Restarts longer ago than this are forgotten. */
const MEMORY_MS = 3 * 60_000;

/** When a process that breaks is started again, and when it no longer is. */
export class Restarts {
  #times: readonly number[] = [];

  /** It has broken. @returns milliseconds to wait before it is started again; null: it breaks too often. */
  next(now: number): number | null {
    this.#times = this.#times.filter((time) => now - time < MEMORY_MS);
    const wait = WAITS_MS[this.#times.length];
    if (wait === undefined) return null;
    this.#times = [...this.#times, now];
    return wait;
  }

  /** A person has started it again. */
  forget(): void {
    this.#times = [];
  }
}
