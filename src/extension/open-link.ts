import * as vscode from 'vscode';
import { escapeLabel } from './labels.ts';

/** Longer URLs can't be checked by the user. */
const MAX_URL_LENGTH = 2000;

/** Opens a link from a trace in the browser after the user has confirmed it. @returns whether it was opened. */
export async function openLink(address: string): Promise<boolean> {
  const url = parseWebUrl(address);
  if (!url) {
    const message = vscode.l10n.t("This link can't be opened: {0}", escapeLabel(address).slice(0, 200));
    await vscode.window.showWarningMessage(message);
    return false;
  }
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Open this link from the trace in your browser?');
  const chosen = await vscode.window.showInformationMessage(message, { modal: true, detail: url }, open);
  return chosen === open && vscode.env.openExternal(vscode.Uri.parse(url, true));
}

/** The URL as the browser resolves it, in punycode; null unless it is http or https. */
export function parseWebUrl(address: string): string | null {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url.href.length > MAX_URL_LENGTH ? null : url.href;
}
