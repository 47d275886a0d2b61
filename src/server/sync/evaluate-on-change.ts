import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChangedFileQueue } from '../../input/changed-file-queue.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { ClientSettings } from '../../protocol/settings.ts';
import type { ServerContext } from '../context.ts';
import { DelayedProgress, type ProgressConnection } from './delayed-progress.ts';

interface EvaluateOnChangeOptions {
  readonly connection: ProgressConnection;
  readonly evaluator: Pick<ServerContext['evaluator'], 'evaluate' | 'isEvaluating'>;
  readonly results: Pick<ServerContext['results'], 'needsEvaluation' | 'file'>;
  readonly files: Pick<FileSystem, 'stat' | 'leadsOutside'>;
  readonly settings: () => Pick<ClientSettings, 'evaluateOnChange'>;
}

/**
 * Evaluates files that another program has written, with the rules only. Changes that follow soon are one evaluation, which
 * the user can stop.
 */
export class ChangeEvaluator {
  readonly #parts: EvaluateOnChangeOptions;
  readonly #changed: ChangedFileQueue;

  constructor(parts: EvaluateOnChangeOptions) {
    this.#parts = parts;
    // The evaluation reports its errors; the files stay outdated.
    const onComplete = (paths: readonly string[]) => this.#evaluate(paths).catch(() => {});
    this.#changed = new ChangedFileQueue({ files: parts.files, onComplete });
  }

  /** @param isNew whether none of them was evaluated before. */
  add(paths: Iterable<string>, isNew: boolean): void {
    const { evaluateOnChange } = this.#parts.settings();
    if (evaluateOnChange === 'off' || (isNew && evaluateOnChange !== 'all')) return;
    this.#changed.add(paths);
  }

  async #evaluate(paths: readonly string[]): Promise<void> {
    const { connection, evaluator, results, files } = this.#parts;
    // The user named no new file: a link out of its folder is not followed.
    const outside = await Promise.all(
      paths.map((path) => !results.file(path) && files.leadsOutside(path, dirname(path))),
    );
    const left = paths.filter((path, index) => {
      const isDue = results.needsEvaluation(path) || !results.file(path);
      return isDue && !outside[index] && !evaluator.isEvaluating(path);
    });
    if (left.length === 0) return;
    const progress = new DelayedProgress(connection);
    const uris = left.map((path) => pathToFileURL(path).href);
    await evaluator.evaluate(uris, progress, progress.token, { rulesOnly: true });
  }
}
