import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ScenarioFileChange, ScenarioFiles } from './scenario-files.ts';
import type { RunScope } from './test-selection.ts';
import type { TestTree } from './test-tree.ts';

/** Changes within this time are run together. */
const WAIT_MS = 300;

interface ContinuousRunOptions {
  readonly files: Pick<ScenarioFiles, 'onDidChange'>;
  readonly tree: Pick<TestTree, 'uris' | 'subject' | 'file'>;
  /** Runs a part of the request. The next one starts when it has ended. */
  readonly run: (scope: RunScope) => Promise<unknown>;
}

/**
 * Runs what a request includes whenever a scenario file, or a configuration above it, has changed on disk. Resolves when it is
 * cancelled.
 */
export async function runContinuously(
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
  { files, tree, run }: ContinuousRunOptions,
): Promise<void> {
  const changed = new Set<string>();
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  const runChanged = async (): Promise<void> => {
    timer = undefined;
    if (isRunning || changed.size === 0 || token.isCancellationRequested) return;
    const narrowed = narrow(request, changed, tree);
    changed.clear();
    if (!narrowed) return;
    isRunning = true;
    try {
      await run(narrowed);
    } finally {
      isRunning = false;
      runSoon();
    }
  };
  const runSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void runChanged(), WAIT_MS);
  };
  const listener = files.onDidChange((change) => {
    for (const uri of affectedFiles(change, tree.uris)) changed.add(uri);
    runSoon();
  });
  token.onCancellationRequested(() => resolve());
  if (token.isCancellationRequested) resolve();
  await cancelled;
  clearTimeout(timer);
  listener.dispose();
}

/** The files whose scenarios a change can affect. */
function affectedFiles({ type, uri }: ScenarioFileChange, all: readonly string[]): readonly string[] {
  if (type === 'deleted') return [];
  if (type !== 'configuration') return [uri.toString()];
  const folder = dirname(uri.path);
  return all.filter((file) => vscode.Uri.parse(file).path.startsWith(folder === '/' ? folder : `${folder}/`));
}

/** The part of a request that is about some files; null where it includes none of them. */
function narrow(
  request: vscode.TestRunRequest,
  changed: ReadonlySet<string>,
  tree: ContinuousRunOptions['tree'],
): RunScope | null {
  const all = request.include ?? tree.uris.flatMap((uri) => tree.file(uri) ?? []);
  const include = all.filter((item) => changed.has(tree.subject(item)?.uri ?? ''));
  return include.length === 0 ? null : { include, exclude: request.exclude };
}
