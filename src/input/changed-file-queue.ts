import type { FileSystem } from './file-system.ts';

interface ChangedFileQueueOptions {
  readonly files: Pick<FileSystem, 'stat'>;
  /** Called with files that are complete, one call at a time. Must not reject. */
  readonly onComplete: (paths: readonly string[]) => Promise<void>;
  /** How long a file must not change before it counts as complete. */
  readonly delayMs?: number;
  /** Files are complete after each change, so they need not be looked at twice. */
  readonly isAlwaysComplete?: boolean;
}

const DELAY_MS = 500;

/** A file that is written without a pause holds up the others no longer than this many delays. */
const MAX_DELAYS = 10;

/** Size and time of the last change; null: the file is gone. */
type Stamp = string | null;

/**
 * Files that another program writes. A file is handed on only when it has not changed for a while, and all that change soon
 * after each other are handed on together. What changes meanwhile waits for the next time.
 */
export class ChangedFileQueue implements Disposable {
  readonly #options: ChangedFileQueueOptions;
  readonly #waiting = new Map<string, Stamp | undefined>();
  #timer: NodeJS.Timeout | undefined;
  /** When the files began to wait; null while none does. */
  #since: number | null = null;
  #isRunning = false;
  #isDisposed = false;

  constructor(options: ChangedFileQueueOptions) {
    this.#options = options;
  }

  add(paths: Iterable<string>): void {
    for (const path of paths) this.#waiting.set(path, undefined);
    this.#wait();
  }

  /** Hands on nothing more. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#waiting.clear();
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#waiting.size === 0 || this.#isRunning || this.#isDisposed) return;
    const { delayMs = DELAY_MS } = this.#options;
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const left = this.#since + MAX_DELAYS * delayMs - now;
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, Math.min(delayMs, left)));
    // A process that ends does not wait for it.
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#since = null;
    try {
      const complete = await this.#takeComplete();
      if (complete.length > 0 && !this.#isDisposed) await this.#options.onComplete(complete);
    } finally {
      this.#isRunning = false;
      this.#wait();
    }
  }

  /** Takes the files that have not changed since the last look. */
  async #takeComplete(): Promise<readonly string[]> {
    if (this.#options.isAlwaysComplete) {
      const paths = [...this.#waiting.keys()];
      this.#waiting.clear();
      return paths;
    }
    const looks = Array.from(this.#waiting, async ([path, before]) => {
      const stats = await this.#options.files.stat(path).catch(() => null);
      const now = stats?.kind === 'file' ? `${stats.size} ${stats.modified}` : null;
      return { path, before, now };
    });
    const complete: string[] = [];
    for (const { path, before, now } of await Promise.all(looks)) {
      if (now !== null && now !== before) {
        // A change that was reported meanwhile starts again.
        if (this.#waiting.get(path) === before) this.#waiting.set(path, now);
        continue;
      }
      this.#waiting.delete(path);
      if (now !== null) complete.push(path);
    }
    return complete;
  }
}
