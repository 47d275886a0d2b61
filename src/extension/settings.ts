import * as vscode from 'vscode';
import * as z from 'zod/mini';
import {
  type ClientSettings,
  DEFAULT_TRACES,
  EVALUATE_ON_CHANGE,
  settingsChanged,
  settings as settingsSchema,
} from '../protocol/settings.ts';
import type { LanguageServer, ServerStartOptions } from './language-server.ts';
import { traceSelector } from './trace-selector.ts';

/** The user's settings for the server. A value of the wrong type counts as unset. */
export function currentSettings(): ClientSettings {
  const section = vscode.workspace.getConfiguration('turnwise');
  const isOn = (name: string): boolean => section.get<unknown>(name) !== false;
  const number = (name: 'livePort' | 'liveMaxSize' | 'liveKeepDays'): number => {
    const { data } = z.safeParse(settingsSchema.shape[name], section.get<unknown>(name));
    return data ?? z.parse(settingsSchema.shape[name], undefined);
  };
  return {
    traces: parseTraceGlobs(section.get<unknown>('traces')),
    lenses: isOn('lenses'),
    inlayHints: section.get<unknown>('inlayHints') === true,
    evaluateOnSave: isOn('evaluateOnSave'),
    evaluateOnChange:
      EVALUATE_ON_CHANGE.find((value) => value === section.get<unknown>('evaluateOnChange')) ?? 'evaluated',
    editorModelsOnSave: section.get<unknown>('editorModelsOnSave') === true,
    livePort: number('livePort'),
    liveMaxSize: number('liveMaxSize'),
    liveKeepDays: number('liveKeepDays'),
    liveNotify: isOn('liveNotify'),
    trusted: vscode.workspace.isTrusted,
  };
}

function parseTraceGlobs(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((glob) => typeof glob === 'string' && glob !== '') : DEFAULT_TRACES;
}

/** The options with which the server starts. */
export function serverStartOptions(extensionUri: vscode.Uri): ServerStartOptions {
  const settings = currentSettings();
  const rulePages = vscode.Uri.joinPath(extensionUri, 'docs', 'rules').toString();
  return { selector: traceSelector(settings.traces), initialization: { ...settings, client: 'vscode', rulePages } };
}

/** Sends changed settings and workspace trust to the server. */
export function syncSettings(server: LanguageServer, log: vscode.LogOutputChannel): vscode.Disposable {
  let selector = JSON.stringify(traceSelector(currentSettings().traces));
  const follow = async (): Promise<void> => {
    const settings = currentSettings();
    server.notify(settingsChanged, settings);
    const before = selector;
    selector = JSON.stringify(traceSelector(settings.traces));
    // The document selector is fixed when the server starts.
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
