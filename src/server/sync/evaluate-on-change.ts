import { pathToFileURL } from 'node:url';
import type { FileSystem } from '../../input/file-system.ts';
import type { ClientSettings } from '../../protocol/settings.ts';
import type { ServerContext } from '../context.ts';
import { DelayedProgress, type ProgressConnection } from './evaluate-on-save.ts';

interface EvaluateOnChangeOptions {
  readonly connection: ProgressConnection;
  readonly evaluator: Pick<ServerContext['evaluator'], 'evaluate' | 'isEvaluating'>;
  readonly results: Pick<ServerContext['results'], 'needsEvaluation' | 'file'>;
  readonly files: Pick<FileSystem, 'stat'>;
  readonly settings: () => Pick<ClientSettings, 'evaluateOnChange'>;
  /** How long a file must not change before it counts as complete. */
  readonly delayMs?: number;
}

const DELAY_MS = 500;

/** Size and time of the last change; null: the file is gone. */
type Stamp = string | null;

/**
 * Evaluates files that another program has written, with the rules only. Changes that follow soon are one evaluation, which
 * the user can stop, and a file is read only when it has not changed for a while.
 */
export class ChangeEvaluator {
  readonly #parts: EvaluateOnChangeOptions;
  readonly #waiting = new Map<string, Stamp | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;

  constructor(parts: EvaluateOnChangeOptions) {
    this.#parts = parts;
  }

  /** @param isNew whether none of them was evaluated before. */
  add(paths: Iterable<string>, isNew: boolean): void {
    const { evaluateOnChange } = this.#parts.settings();
    if (evaluateOnChange === 'off' || (isNew && evaluateOnChange !== 'all')) return;
    for (const path of paths) this.#waiting.set(path, undefined);
    this.#wait();
  }

  #wait(): void {
    if (this.#waiting.size === 0 || this.#isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), this.#parts.delayMs ?? DELAY_MS);
    // A server that ends does not wait for it.
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      const complete = await this.#takeComplete();
      if (complete.length > 0) await this.#evaluate(complete);
    } catch {
      // The evaluation reports its errors; the files stay outdated.
    } finally {
      this.#isRunning = false;
      this.#wait();
    }
  }

  /** Takes the files that have not changed since the last look. */
  async #takeComplete(): Promise<readonly string[]> {
    const looks = Array.from(this.#waiting, async ([path, before]) => {
      const stats = await this.#parts.files.stat(path).catch(() => null);
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

  async #evaluate(paths: readonly string[]): Promise<void> {
    const { connection, evaluator, results } = this.#parts;
    const left = paths.filter((path) => {
      return (results.needsEvaluation(path) || !results.file(path)) && !evaluator.isEvaluating(path);
    });
    if (left.length === 0) return;
    const progress = new DelayedProgress(connection);
    const uris = left.map((path) => pathToFileURL(path).href);
    await evaluator.evaluate(uris, progress, progress.token, { rulesOnly: true });
  }
}
