import * as vscode from 'vscode';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';

/** The context keys of the manifest's `when` and `enablement` clauses. */
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

/** Keeps the context keys in sync with the results and the server. */
export function syncContextKeys(server: LanguageServer, model: ResultsModel): vscode.Disposable {
  const known = new Map<ContextKey, boolean>();
  const follow = (key: ContextKey, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void setContext(key, value);
  };
  return vscode.Disposable.from(
    model.onDidChange(() => {
      follow('turnwise.hasFiles', model.snapshot.total > 0);
      follow('turnwise.hasResults', model.hasResults);
      follow('turnwise.hasFailed', model.hasFailed);
    }),
    server.onDidChangeState((state) => follow('turnwise.serverStopped', state === 'broken')),
  );
}
