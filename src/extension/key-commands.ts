import * as vscode from 'vscode';
import { forgetConsent, hostOf, hosts, key, keyNeeded } from '../protocol/models.ts';
import type { Keys } from './keys.ts';
import type { LanguageServer } from './language-server.ts';
import { placeAsked } from './place-asked.ts';
import { shown } from './words.ts';

interface Parts {
  readonly server: LanguageServer;
  readonly keys: Keys;
}

/** Lets the server have the key of a host that it asks, and says where one is missing. */
export function serveKeys({ server, keys }: Parts): void {
  server.answer(key, async ({ host }) => (vscode.workspace.isTrusted ? keys.of(host) : null));
  server.listen(keyNeeded, ({ host, sentence }) => {
    void offerKey(host, sentence);
  });
}

/** The message waits for the user; whoever shows it does not. */
export async function offerKey(host: string, sentence: string): Promise<void> {
  const set = vscode.l10n.t('Set API Key');
  const chosen = await vscode.window.showWarningMessage(shown(sentence), set);
  if (chosen === set) await vscode.commands.executeCommand('turnwise.setKey', host);
}

/** @param given the host, where it is known. */
export async function setKey(parts: Parts, given: unknown): Promise<void> {
  const host = typeof given === 'string' ? hostOf(given) : await chosenHost(parts);
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

async function chosenHost({ server }: Parts): Promise<string | null> {
  const uri = placeAsked();
  // Without a configuration that can be read, there is nothing to propose.
  const asked = uri ? await server.ask(hosts, { uri: uri.toString() }).catch(() => null) : null;
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

export async function forgetKeys({ keys }: Parts): Promise<void> {
  const kept = await keys.hosts();
  if (kept.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No API key is kept.'));
    return;
  }
  const items = kept.map((label) => ({ label, picked: true }));
  const title = vscode.l10n.t('Forget API keys');
  const placeHolder = vscode.l10n.t('Keys of these hosts are deleted from the secret storage.');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true });
  if (chosen) await keys.forget(chosen.map(({ label }) => label));
}

/** Whom the user has allowed, or forbidden, to be sent traces is asked anew. */
export async function forgetPermissions({ server }: Parts): Promise<void> {
  await server.ask(forgetConsent, {});
  const message = vscode.l10n.t('Before text of traces is sent to a host again, you will be asked.');
  void vscode.window.showInformationMessage(message);
}
