import * as vscode from 'vscode';
import type { LanguageServer } from './language-server.ts';
import { currentSettings } from './settings.ts';
import { globFilters } from './trace-selector.ts';

/** Starts the server when a trace comes into sight: what stands above it comes from there. */
export function startOnTrace(server: LanguageServer): vscode.Disposable {
  const look = (editors: readonly vscode.TextEditor[]): void => {
    if (server.state !== 'off' || server.isRunning) return;
    const { lenses, traces } = currentSettings();
    const names = globFilters(traces);
    if (!lenses || !editors.some(({ document }) => vscode.languages.match(names, document) > 0)) return;
    // That it could not be started is its state, and in the log.
    server.start().catch(() => {});
  };
  look(vscode.window.visibleTextEditors);
  return vscode.window.onDidChangeVisibleTextEditors(look);
}
