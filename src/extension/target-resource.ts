import * as vscode from 'vscode';

/** The file or folder whose configuration applies: the active file, else the first workspace folder. */
export function targetResource(): vscode.Uri | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  if (active?.scheme === 'file') return active;
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
}
