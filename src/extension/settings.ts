import * as vscode from 'vscode';
import { DEFAULT_TRACES, type Settings, settingsChanged } from '../protocol/settings.ts';
import type { Introduction, LanguageServer } from './language-server.ts';
import { selectorOf } from './trace.ts';

/** What the user has set, as the server needs it. What has the wrong type counts as not set. */
export function currentSettings(): Settings {
  const section = vscode.workspace.getConfiguration('turnwise');
  const isOn = (name: string): boolean => section.get<unknown>(name) !== false;
  return {
    traces: tracesOf(section.get<unknown>('traces')),
    lenses: isOn('lenses'),
    inlayHints: isOn('inlayHints'),
    evaluateOnSave: isOn('evaluateOnSave'),
    trusted: vscode.workspace.isTrusted,
  };
}

function tracesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((glob) => typeof glob === 'string' && glob !== '') : DEFAULT_TRACES;
}

/** What a server is told when it starts. */
export function introduction(extensionUri: vscode.Uri): Introduction {
  const settings = currentSettings();
  const rulePages = vscode.Uri.joinPath(extensionUri, 'docs', 'rules').toString();
  return { selector: selectorOf(settings.traces), initialization: { ...settings, client: 'vscode', rulePages } };
}

/** Tells the server what is set otherwise, and that the workspace is trusted now. */
export function followSettings(server: LanguageServer, log: vscode.LogOutputChannel): vscode.Disposable {
  let selector = JSON.stringify(selectorOf(currentSettings().traces));
  const follow = async (): Promise<void> => {
    const settings = currentSettings();
    server.tell(settingsChanged, settings);
    const before = selector;
    selector = JSON.stringify(selectorOf(settings.traces));
    // The documents in which something is shown are agreed when it starts.
    if (selector !== before && server.isRunning) await server.restart();
  };
  const follows = (): void => {
    follow().catch((error: unknown) => log.error(String(error)));
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('turnwise')) follows();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(follows),
  );
}
