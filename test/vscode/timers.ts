import * as vscode from 'vscode';

/** What the extension does by the clock: its timers that have not gone off. Made before it is active. */
export class Timers implements Disposable {
  readonly #pending = new Map<unknown, string>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #before = { setTimeout, setInterval, clearTimeout, clearInterval };

  readonly onDidChange = this.#changed.event;

  /** @param path of the code whose timers count. */
  constructor(path: string) {
    const { setTimeout, setInterval, clearTimeout, clearInterval } = this.#before;
    const begun = (timer: unknown): void => {
      const { stack = '' } = new Error('a timer');
      if (stack.includes(path)) this.#pending.set(timer, stack);
    };
    const over = (timer: unknown): void => {
      if (!this.#pending.delete(timer)) return;
      // What it has done may have begun the next one.
      setImmediate(() => this.#changed.fire());
    };
    const replace = (name: string, value: unknown): void => {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    };
    replace('setTimeout', (callback: (...given: unknown[]) => void, wait?: number, ...given: unknown[]) => {
      const timer = setTimeout(() => {
        callback(...given);
        over(timer);
      }, wait);
      begun(timer);
      return timer;
    });
    replace('setInterval', (callback: (...given: unknown[]) => void, wait?: number, ...given: unknown[]) => {
      const timer = setInterval(callback, wait, ...given);
      begun(timer);
      return timer;
    });
    replace('clearTimeout', (timer: NodeJS.Timeout | undefined) => {
      clearTimeout(timer);
      over(timer);
    });
    replace('clearInterval', (timer: NodeJS.Timeout | undefined) => {
      clearInterval(timer);
      over(timer);
    });
  }

  /** Where each of them was begun. */
  get pending(): readonly string[] {
    return [...this.#pending.values()];
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#before);
    this.#changed.dispose();
  }
}
