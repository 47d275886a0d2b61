/** Lets one after the other do something. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when it is one's turn, which lasts until it is disposed. */
  async take(): Promise<Turn> {
    await this.#next((begin) => this.#waiting.push(begin));
    return new Turn({
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

/** Somebody's turn, which others may have while that one waits for something else. */
export class Turn implements Disposable {
  readonly #turns: { readonly leave: () => void; readonly resume: () => Promise<void> };
  #isMine = true;

  constructor(turns: { readonly leave: () => void; readonly resume: () => Promise<void> }) {
    this.#turns = turns;
  }

  /** Others go on meanwhile. */
  leave(): void {
    if (!this.#isMine) return;
    this.#isMine = false;
    this.#turns.leave();
  }

  /** Resolves when it is one's turn again; at once where it was never left. */
  async resume(): Promise<void> {
    if (this.#isMine) return;
    await this.#turns.resume();
    this.#isMine = true;
  }

  [Symbol.dispose](): void {
    this.leave();
  }
}
