/** A queue in which one evaluation runs at a time. */
export class EvaluationQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves at the front of the queue; the front is kept until the lease is disposed. */
  async acquire(): Promise<QueueLease> {
    await this.#next((begin) => this.#waiting.push(begin));
    return new QueueLease({
      leave: () => this.#pass(),
      // An evaluation that has started goes before those that have not.
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

/** The front of the queue. It can be released while the evaluation waits for the user. */
export class QueueLease implements Disposable {
  readonly #queue: { readonly leave: () => void; readonly resume: () => Promise<void> };
  #isMine = true;

  constructor(queue: { readonly leave: () => void; readonly resume: () => Promise<void> }) {
    this.#queue = queue;
  }

  /** Lets others run meanwhile. */
  release(): void {
    if (!this.#isMine) return;
    this.#isMine = false;
    this.#queue.leave();
  }

  /** Resolves at the front of the queue again; at once if the lease was not released. */
  async reacquire(): Promise<void> {
    if (this.#isMine) return;
    await this.#queue.resume();
    this.#isMine = true;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
