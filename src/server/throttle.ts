/** Between two times at least this. */
const INTERVAL_MS = 200;

/** And so long that no more than a tenth of all time goes into it. */
const MAX_DUTY_DIVISOR = 10;

/** Does something again and again while there is cause to, at a pace that leaves time for everything else. */
export class Throttle implements Disposable {
  readonly #work: () => void;
  #next = performance.now() + INTERVAL_MS;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** There is cause: it happens when it is time, once for all causes until then. */
  schedule(): void {
    if (this.#isOver) return;
    // What it throws is nobody's who gave cause: it is logged with whatever else nobody expected.
    this.#timer ??= setTimeout(async () => this.runNow(), Math.max(0, this.#next - performance.now()));
  }

  /** Also where there was no cause. */
  runNow(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const begun = performance.now();
    this.#work();
    const ended = performance.now();
    this.#next = ended + Math.max(INTERVAL_MS, (ended - begun) * MAX_DUTY_DIVISOR);
  }

  /** It does not happen any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
