import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ClientSettings } from '../../protocol/settings.ts';
import type { ServerContext } from '../context.ts';
import { DelayedProgress, type ProgressConnection } from './delayed-progress.ts';

interface EvaluateOnSaveOptions {
  readonly connection: ProgressConnection;
  readonly evaluator: Pick<ServerContext['evaluator'], 'evaluate' | 'isEvaluating'>;
  readonly results: { needsEvaluation(path: string): boolean };
  readonly settings: () => Pick<ClientSettings, 'editorModelsOnSave'>;
}

/** Editors save files before they evaluate them, so another evaluation may be about to start. */
const SAVE_DELAY_MS = 100;

/** Evaluates changed files after saving, unless they are being evaluated already. */
export async function evaluateSaved(
  paths: readonly string[],
  { connection, evaluator, results, settings }: EvaluateOnSaveOptions,
): Promise<void> {
  if (paths.length === 0) return;
  await setTimeout(SAVE_DELAY_MS, undefined, { ref: false });
  const left = paths.filter((path) => results.needsEvaluation(path) && !evaluator.isEvaluating(path));
  if (left.length === 0) return;
  const progress = new DelayedProgress(connection);
  const uris = left.map((path) => pathToFileURL(path).href);
  const withoutEditorModels = !settings().editorModelsOnSave;
  await evaluator.evaluate(uris, progress, progress.token, { withoutEditorModels });
}
