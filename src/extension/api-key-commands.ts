import * as vscode from 'vscode';
import { hostOf } from '../core/model-host.ts';
import { apiKey, apiKeyNeeded, clearConsent, modelHosts } from '../protocol/models.ts';
import type { ApiKeys } from './api-keys.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { targetResource } from './target-resource.ts';

interface ApiKeyOptions {
  readonly server: LanguageServer;
  readonly keys: ApiKeys;
}

/** Answers the server's requests for API keys, and tells the user about missing ones. */
export function serveKeys({ server, keys }: ApiKeyOptions): void {
  server.onRequest(apiKey, async ({ host }) => (vscode.workspace.isTrusted ? keys.get(host) : null));
  server.onNotification(apiKeyNeeded, ({ host, sentence }) => {
    void offerKey(host, sentence);
  });
}

/** Offers to set an API key. */
async function offerKey(host: string, sentence: string): Promise<void> {
  const set = vscode.l10n.t('Set API Key');
  const chosen = await vscode.window.showWarningMessage(escapeLabel(sentence), set);
  if (chosen === set) await vscode.commands.executeCommand('turnwise.setApiKey', host);
}

/** @param argument the host, if known. */
export async function setKey(parts: ApiKeyOptions, argument: unknown): Promise<void> {
  const host = typeof argument === 'string' ? hostOf(argument) : await enterHost(parts);
  if (host === null) return;
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('API Key for {0}', host),
    prompt: vscode.l10n.t("Stored in this editor's secret storage and sent only to {0}.", host),
    password: true,
    ignoreFocusOut: true,
  });
  const entry = entered?.trim();
  if (!entry) return;
  await parts.keys.set(host, entry);
  void vscode.window.showInformationMessage(vscode.l10n.t('API key for {0} saved.', host));
}

async function enterHost({ server }: ApiKeyOptions): Promise<string | null> {
  const uri = targetResource();
  // Without a readable configuration there is no suggestion.
  const configured = uri ? await server.request(modelHosts, { uri: uri.toString() }).catch(() => null) : null;
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('Host of the API Key'),
    prompt: vscode.l10n.t('The key is sent only to this host. Enter a host or a base URL.'),
    value: configured?.hosts[0] ?? 'api.openai.com',
    ignoreFocusOut: true,
    validateInput: (text) =>
      hostOf(text) === null ? vscode.l10n.t('Enter a host, for example api.openai.com or localhost:1234.') : undefined,
  });
  return entered === undefined ? null : hostOf(entered);
}

export async function forgetKeys({ keys }: ApiKeyOptions): Promise<void> {
  const kept = await keys.hosts();
  if (kept.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No API keys stored.'));
    return;
  }
  const items = kept.map((label) => ({ label, picked: true }));
  const title = vscode.l10n.t('Delete API Keys');
  const placeHolder = vscode.l10n.t('Select the hosts whose keys to delete');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true });
  if (chosen) await keys.delete(chosen.map(({ label }) => label));
}

/** Resets which hosts may receive traces. */
export async function resetConsent({ server }: ApiKeyOptions): Promise<void> {
  await server.request(clearConsent, {});
  const message = vscode.l10n.t('Consent reset. Turnwise asks again before it sends traces to a host.');
  void vscode.window.showInformationMessage(message);
}
