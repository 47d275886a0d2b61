import * as vscode from 'vscode';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';

/** What the manifest's `when` and `enablement` ask about. */
type ContextKey =
  | 'turnwise.evaluating'
  | 'turnwise.grouping'
  | 'turnwise.hasFailed'
  | 'turnwise.hasFiles'
  | 'turnwise.hasScanned'
  | 'turnwise.hasResults'
  | 'turnwise.isReady'
  | 'turnwise.serverStopped';

export async function setContext(key: ContextKey, value: boolean | string): Promise<void> {
  await vscode.commands.executeCommand('setContext', key, value);
}

/** Keeps the keys as they are with what is held, and with the server. */
export function syncContextKeys(server: LanguageServer, held: ResultsModel): vscode.Disposable {
  const known = new Map<ContextKey, boolean>();
  const follow = (key: ContextKey, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void setContext(key, value);
  };
  return vscode.Disposable.from(
    held.onDidChange(() => {
      follow('turnwise.hasFiles', held.snapshot.total > 0);
      follow('turnwise.hasResults', held.hasResults);
      follow('turnwise.hasFailed', held.hasFailed);
    }),
    server.onDidChangeState((state) => follow('turnwise.serverStopped', state === 'broken')),
  );
}
