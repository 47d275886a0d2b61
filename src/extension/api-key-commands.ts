import * as vscode from 'vscode';
import { apiKey, apiKeyNeeded, clearConsent, hostOf, modelHosts } from '../protocol/models.ts';
import type { ApiKeys } from './api-keys.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { targetResource } from './target-resource.ts';

interface ApiKeyOptions {
  readonly server: LanguageServer;
  readonly keys: ApiKeys;
}

/** Lets the server have the key of a host that it asks, and says where one is missing. */
export function serveKeys({ server, keys }: ApiKeyOptions): void {
  server.onRequest(apiKey, async ({ host }) => (vscode.workspace.isTrusted ? keys.get(host) : null));
  server.onNotification(apiKeyNeeded, ({ host, sentence }) => {
    void offerKey(host, sentence);
  });
}

/** The message waits for the user; whoever shows it does not. */
export async function offerKey(host: string, sentence: string): Promise<void> {
  const set = vscode.l10n.t('Set API Key');
  const chosen = await vscode.window.showWarningMessage(escapeLabel(sentence), set);
  if (chosen === set) await vscode.commands.executeCommand('turnwise.setKey', host);
}

/** @param given the host, where it is known. */
export async function setKey(parts: ApiKeyOptions, given: unknown): Promise<void> {
  const host = typeof given === 'string' ? hostOf(given) : await enterHost(parts);
  if (host === null) return;
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', host),
    prompt: vscode.l10n.t('It is kept in the secret storage of this editor, and sent to {0} alone.', host),
    password: true,
    ignoreFocusOut: true,
  });
  const entry = entered?.trim();
  if (!entry) return;
  await parts.keys.set(host, entry);
  void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} is kept.', host));
}

async function enterHost({ server }: ApiKeyOptions): Promise<string | null> {
  const uri = targetResource();
  // Without a configuration that can be read, there is nothing to propose.
  const asked = uri ? await server.request(modelHosts, { uri: uri.toString() }).catch(() => null) : null;
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key: for which host?'),
    prompt: vscode.l10n.t('A key is sent to its host alone. A base URL will do as well.'),
    value: asked?.hosts[0] ?? 'api.openai.com',
    ignoreFocusOut: true,
    validateInput: (text) =>
      hostOf(text) === null ? vscode.l10n.t('Write a host, as api.openai.com or localhost:1234.') : undefined,
  });
  return entered === undefined ? null : hostOf(entered);
}

export async function forgetKeys({ keys }: ApiKeyOptions): Promise<void> {
  const kept = await keys.hosts();
  if (kept.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No API key is kept.'));
    return;
  }
  const items = kept.map((label) => ({ label, picked: true }));
  const title = vscode.l10n.t('Forget API keys');
  const placeHolder = vscode.l10n.t('Keys of these hosts are deleted from the secret storage.');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true });
  if (chosen) await keys.delete(chosen.map(({ label }) => label));
}

/** Whom the user has allowed, or forbidden, to be sent traces is asked anew. */
export async function resetConsent({ server }: ApiKeyOptions): Promise<void> {
  await server.request(clearConsent, {});
  const message = vscode.l10n.t('Before text of traces is sent to a host again, you will be asked.');
  void vscode.window.showInformationMessage(message);
}
