import * as vscode from 'vscode';
import { type ClientSettings, DEFAULT_TRACES, settingsChanged } from '../protocol/settings.ts';
import type { LanguageServer, ServerStartOptions } from './language-server.ts';
import { traceSelector } from './trace-selector.ts';

/** What the user has set, as the server needs it. What has the wrong type counts as not set. */
export function currentSettings(): ClientSettings {
  const section = vscode.workspace.getConfiguration('turnwise');
  const isOn = (name: string): boolean => section.get<unknown>(name) !== false;
  return {
    traces: parseTraceGlobs(section.get<unknown>('traces')),
    lenses: isOn('lenses'),
    inlayHints: isOn('inlayHints'),
    evaluateOnSave: isOn('evaluateOnSave'),
    trusted: vscode.workspace.isTrusted,
  };
}

function parseTraceGlobs(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((glob) => typeof glob === 'string' && glob !== '') : DEFAULT_TRACES;
}

/** What a server is told when it starts. */
export function serverStartOptions(extensionUri: vscode.Uri): ServerStartOptions {
  const settings = currentSettings();
  const rulePages = vscode.Uri.joinPath(extensionUri, 'docs', 'rules').toString();
  return { selector: traceSelector(settings.traces), initialization: { ...settings, client: 'vscode', rulePages } };
}

/** Tells the server what is set otherwise, and that the workspace is trusted now. */
export function syncSettings(server: LanguageServer, log: vscode.LogOutputChannel): vscode.Disposable {
  let selector = JSON.stringify(traceSelector(currentSettings().traces));
  const follow = async (): Promise<void> => {
    const settings = currentSettings();
    server.notify(settingsChanged, settings);
    const before = selector;
    selector = JSON.stringify(traceSelector(settings.traces));
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
