import * as vscode from 'vscode';
import type { LanguageServer } from './language-server.ts';
import { currentSettings } from './settings.ts';
import { globFilters } from './trace-selector.ts';

/** Starts the server when a trace becomes visible, for its lenses. */
export function startOnTrace(server: LanguageServer): vscode.Disposable {
  const look = (editors: readonly vscode.TextEditor[]): void => {
    if (server.state !== 'off' || server.isRunning) return;
    const { lenses, traces } = currentSettings();
    const names = globFilters(traces);
    if (!lenses || !editors.some(({ document }) => vscode.languages.match(names, document) > 0)) return;
    // A failed start is logged and shown as the server's state.
    server.start().catch(() => {});
  };
  look(vscode.window.visibleTextEditors);
  return vscode.window.onDidChangeVisibleTextEditors(look);
}
