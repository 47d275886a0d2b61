/** Lets one after the other do something. */
export class EvaluationQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when one is at the front, where one stays until it is disposed. */
  async acquire(): Promise<QueueLease> {
    await this.#next((begin) => this.#waiting.push(begin));
    return new QueueLease({
      leave: () => this.#pass(),
      // Who has begun comes before those who have not.
      resume: () => this.#next((begin) => this.#waiting.unshift(begin)),
    });
  }

  async #next(wait: (begin: () => void) => void): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    wait(resolve);
    await promise;
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}

/** A place at the front, which others may have while somebody waits for something else. */
export class QueueLease implements Disposable {
  readonly #queue: { readonly leave: () => void; readonly resume: () => Promise<void> };
  #isMine = true;

  constructor(queue: { readonly leave: () => void; readonly resume: () => Promise<void> }) {
    this.#queue = queue;
  }

  /** Others go on meanwhile. */
  release(): void {
    if (!this.#isMine) return;
    this.#isMine = false;
    this.#queue.leave();
  }

  /** Resolves when one is at the front again; at once where one never left. */
  async reacquire(): Promise<void> {
    if (this.#isMine) return;
    await this.#queue.resume();
    this.#isMine = true;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
