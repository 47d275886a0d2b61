import * as vscode from 'vscode';
import type { Held } from './held.ts';
import type { LanguageServer } from './language-server.ts';

/** What the manifest's `when` and `enablement` ask about. */
type Key =
  | 'turnwise.evaluating'
  | 'turnwise.grouping'
  | 'turnwise.hasFailed'
  | 'turnwise.hasFiles'
  | 'turnwise.hasLooked'
  | 'turnwise.hasResults'
  | 'turnwise.isReady'
  | 'turnwise.serverStopped';

export async function setContext(key: Key, value: boolean | string): Promise<void> {
  await vscode.commands.executeCommand('setContext', key, value);
}

/** Keeps the keys as they are with what is held, and with the server. */
export function followContexts(server: LanguageServer, held: Held): vscode.Disposable {
  const known = new Map<Key, boolean>();
  const follow = (key: Key, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void setContext(key, value);
  };
  return vscode.Disposable.from(
    held.onDidChange(() => {
      follow('turnwise.hasFiles', held.now.total > 0);
      follow('turnwise.hasResults', held.hasResults);
      follow('turnwise.hasFailed', held.hasFailed);
    }),
    server.onDidChangeState((state) => follow('turnwise.serverStopped', state === 'broken')),
  );
}
