import * as vscode from 'vscode';

/** Whose configuration is meant where nobody says: that of the file in front, else of the first folder. */
export function targetResource(): vscode.Uri | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  if (active?.scheme === 'file') return active;
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
}
