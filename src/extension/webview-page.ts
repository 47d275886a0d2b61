import * as vscode from 'vscode';
import { renderMessage, renderPage } from './report-page.ts';

/** Loads the app into a panel. @param page what it shows, and the context of VS Code's context menu */
export function showPage(
  { webview }: vscode.WebviewPanel,
  extensionUri: vscode.Uri,
  page: Pick<Parameters<typeof renderPage>[0], 'data' | 'context'>,
): void {
  const folder = pageFolder(extensionUri);
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  const urlOf = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  webview.html = renderPage({
    ...page,
    language: vscode.env.language,
    translations: vscode.l10n.bundle,
    nonce: crypto.randomUUID(),
    source: webview.cspSource,
    script: urlOf('report.js'),
    styles: page.data.page === 'runs' ? [urlOf('report.css'), urlOf('runs.css')] : [urlOf('report.css')],
  });
}

/** Shows a sentence in a panel, instead of the app. */
export function showMessage({ webview }: vscode.WebviewPanel, extensionUri: vscode.Uri, message: string): void {
  const folder = pageFolder(extensionUri);
  webview.options = { enableScripts: false, localResourceRoots: [folder] };
  webview.html = renderMessage({
    message,
    language: vscode.env.language,
    source: webview.cspSource,
    styles: [webview.asWebviewUri(vscode.Uri.joinPath(folder, 'report.css')).toString()],
  });
}

function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

export function reportIcon(extensionUri: vscode.Uri): { readonly light: vscode.Uri; readonly dark: vscode.Uri } {
  const media = vscode.Uri.joinPath(extensionUri, 'media');
  return {
    light: vscode.Uri.joinPath(media, 'report-light.svg'),
    dark: vscode.Uri.joinPath(media, 'report-dark.svg'),
  };
}
